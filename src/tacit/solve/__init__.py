"""Convex problems on the host, each answer with a proof of how near it is to the exact one.

Privacy rests on minima that are exact but for a stated distance, and on bounds of curvature, which
stand with the losses (`losses`).
"""
