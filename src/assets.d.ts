/** Files that are embedded into the executable. The import is the path of the file. */
declare module 'swagger-ui-dist/swagger-ui.css' {
  const path: string
  export default path
}

declare module 'swagger-ui-dist/swagger-ui-bundle.js' {
  const path: string
  export default path
}

/** A file whose name has `.txt` appended. The import is the text of the file. */
declare module '*.txt' {
  const text: string
  export default text
}

/** Our own style sheets. The import is the text: a file that is imported in two ways comes as the first one everywhere. */
declare module '*.css' {
  const text: string
  export default text
}
