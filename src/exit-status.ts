/** Statuses that the program ends with. The page about operating explains them. */

/** It did not work, and may work when it is tried again. */
export const EXIT_FAILED = 1
/** `EX_CONFIG` of sysexits(3): somebody has to change the configuration first. */
export const EXIT_CONFIG = 78
