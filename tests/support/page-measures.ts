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

/** Controls that lie over one another. What a region has scrolled away, and what sticks to its edge, may lie over others. */
export const overlappingControls = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(`(() => {
    const root = document.querySelector('dialog[open]') ?? document.querySelector('main') ?? document.body
    const isFree = (element) => {
      for (let each = element; each !== null && each !== root; each = each.parentElement) {
        const { position, overflowX, overflowY } = getComputedStyle(each)
        if (position === 'sticky' || [overflowX, overflowY].includes('auto')) return false
      }
      return true
    }
    const controls = [...root.querySelectorAll('a, button, select, input, summary')]
      .filter((element) => element.checkVisibility() && element.closest('[popover]') === null && isFree(element))
    return controls.flatMap((one, at) => controls.slice(at + 1).flatMap((other) => {
      if (one.contains(other) || other.contains(one)) return []
      const [first, second] = [one.getBoundingClientRect(), other.getBoundingClientRect()]
      const width = Math.min(first.right, second.right) - Math.max(first.left, second.left)
      const height = Math.min(first.bottom, second.bottom) - Math.max(first.top, second.top)
      return width > 2 && height > 2 ? [one.textContent.trim() + ' / ' + other.textContent.trim()] : []
    }))
  })()`)
