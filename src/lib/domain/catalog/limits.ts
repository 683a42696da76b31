/** Of a file of the catalog. Beside its readers, since most of them never load a YAML parser. */
export const FILE_BYTES_MAX = 1024 * 1024
