"""What makes floats come out as they do, beside the program: the machine that computes them.

The same program rounds otherwise where a processor has other instructions, where BLAS has other
kernels, or where there are other numbers of threads to divide a sum among. Of a matrix some of
whose eigenvalues are equal, which a small table has, another rounding is another basis altogether;
so is what is drawn from it with the same noise, and two such answers say together what neither may.
Hence a grant that was opened on one machine is not gone on with on another.

Two machines that are described alike are held to be alike: of one model of processor, with the same
instructions, as many cores to run on, the same kernels and the same wishes of their owner.
"""

import os
import platform
from functools import cache
from pathlib import Path

from tacit.cores import cores
from tacit.solve.one_thread import kernels

# By which whoever starts a process chooses how it computes.
WISHES = (
    *("XLA_FLAGS", "NPROC", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    *("OPENBLAS_CORETYPE", "MKL_CBWR"),
)
_PROCESSOR = Path("/proc/cpuinfo")
# What Linux says of an x86, and of an ARM.
_TOLD = ("vendor_id", "cpu family", "model", "flags", "CPU implementer", "CPU part", "Features")


def machine() -> str:
    """The machine, in words that differ where its floats may."""
    wishes = [f"{name}={os.environ.get(name)}" for name in WISHES]
    return "; ".join([_processor(), f"{cores()} cores", kernels(), *wishes])


@cache
def _processor() -> str:
    try:
        first, _, _ = _PROCESSOR.read_text().partition("\n\n")
    except OSError:
        # Not every system has such a file.
        return platform.processor()
    told = (line.partition(":") for line in first.splitlines())
    return ", ".join(f"{name.strip()}:{said}" for name, _, said in told if name.strip() in _TOLD)
