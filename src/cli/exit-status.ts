/** Statuses that the program ends with. The page about operating explains them. */

/** It did not work, and may work when it is tried again. */
export const EXIT_FAILED = 1
/** The command line is wrong, or names a folder that cannot be read. */
export const EXIT_USAGE = 2
/** The portal refused: nobody may do it, or it does not fit. Trying again does not help. */
export const EXIT_REFUSED = 3
/** The command line has no valid sign-in at the portal. */
export const EXIT_SIGN_IN = 4
/** `EX_CONFIG` of sysexits(3): somebody has to change the configuration first. */
export const EXIT_CONFIG = 78
