import type { Page } from 'playwright-core'

/** Pixels by which the page is wider than the window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

/** Cells of tables whose column is too narrow to be read: a name has 88 pixels at least, any other text 32. A document's own are as wide as it says. */
export const crushedCells = (page: Page): Promise<readonly string[]> =>
  page.evaluate<
    readonly string[]
  >(`[...document.querySelectorAll('th:not(.prose *), td:not(.prose *)')]
    .filter((cell) => cell.checkVisibility() && cell.textContent.trim() !== '')
    .filter((cell) => cell.clientWidth < (cell.cellIndex === 0 ? 88 : 32))
    .map((cell) => cell.clientWidth + ' ' + cell.textContent.trim())`)

/** Elements that move although the reader asked for less motion. */
export const movingParts = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(`[...document.querySelectorAll('*')].flatMap((element) =>
    [undefined, '::before', '::after', '::backdrop'].flatMap((part) => {
      const { transitionDuration, animationDuration, animationName } = getComputedStyle(element, part)
      const moves = (durations) => durations.split(',').some((text) => Number.parseFloat(text) > 0)
      return moves(transitionDuration) || (animationName !== 'none' && moves(animationDuration))
        ? [element.tagName + '.' + element.className + (part ?? '')]
        : []
    }))`)

export interface Outline {
  readonly h1: readonly string[]
  readonly lang: string
  readonly title: string
}

export const outlineOf = (page: Page): Promise<Outline> =>
  page.evaluate<Outline>(`({
    h1: [...document.querySelectorAll('h1')].map(({ textContent }) => textContent.trim()),
    lang: document.documentElement.lang,
    title: document.title,
  })`)

export interface Focused {
  readonly tag: string
  readonly text: string
  readonly name: string | null
  /** Style of its outline, or of that of its row: `none` when forced colours hide the focus. */
  readonly outline: string
}

/** The element that has the focus. */
export const focusedOf = (page: Page): Promise<Focused> =>
  page.evaluate<Focused>(`(({ tagName, textContent, ariaLabel }, outlines) => ({
    tag: tagName,
    text: textContent.trim(),
    name: ariaLabel,
    outline: outlines.find((style) => style !== 'none') ?? 'none',
  }))(document.activeElement, [document.activeElement, document.activeElement.closest('tr')]
    .map((element) => (element === null ? 'none' : getComputedStyle(element).outlineStyle)))`)
