"""Devices on Flower's network: keys, a server, a link, and what a device says on it.

Flower carries messages, and neither asks nor answers for anybody: orders and reports are those of
`tacit.live`, and no app of Flower's is ever run. `spoken` alone imports it, in one version.
"""
