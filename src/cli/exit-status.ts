/** Statuses that the program ends with. The page about operating explains them. */

/** It did not work, and may work when it is tried again. */
export const EXIT_FAILED = 1
/** The command line is wrong, or names a folder that cannot be read. */
export const EXIT_USAGE = 2
/** `EX_CONFIG` of sysexits(3): somebody has to change the configuration first. */
export const EXIT_CONFIG = 78
