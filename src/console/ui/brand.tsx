/** The sign of Portico; the same drawing as `icon.svg`. */
export const Brand = () => (
  <svg class="brand-sign" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" />
    <path d="M7 12 16 7l9 5M8.5 25h15M11 14v8M16 14v8M21 14v8" />
  </svg>
)
