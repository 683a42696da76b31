/** Files that are embedded into the executable: importing them gives their path. */
declare module 'swagger-ui-dist/swagger-ui.css' {
  const path: string
  export default path
}

declare module 'swagger-ui-dist/swagger-ui-bundle.js' {
  const path: string
  export default path
}

/** A file of a project template under the name of its own with `.txt` behind it: importing it gives its text. */
declare module '*.txt' {
  const text: string
  export default text
}
