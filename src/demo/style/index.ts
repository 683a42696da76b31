import base from '../../console/styles/base.css' with { type: 'text' }
import brand from '../../console/styles/parts/brand.css' with { type: 'text' }
import button from '../../console/styles/parts/button.css' with { type: 'text' }
import card from '../../console/styles/parts/card.css' with { type: 'text' }
import input from '../../console/styles/parts/input.css' with { type: 'text' }
import notes from '../../console/styles/parts/notes.css' with { type: 'text' }
import pageHead from '../../console/styles/parts/page-head.css' with { type: 'text' }
import status from '../../console/styles/parts/status.css' with { type: 'text' }
import table from '../../console/styles/parts/table.css' with { type: 'text' }
import tokens from '../../console/styles/tokens.css' with { type: 'text' }
import code from './code.css' with { type: 'text' }
import frame from './frame.css' with { type: 'text' }
import lists from './lists.css' with { type: 'text' }
import people from './people.css' with { type: 'text' }
import prose from './prose.css' with { type: 'text' }
import repository from './repository.css' with { type: 'text' }

/** The look of the console, and what the demo's own pages have beyond it. */
export const STYLE = [
  '@layer tokens, base, parts, pages;',
  tokens,
  base,
  brand,
  button,
  status,
  card,
  input,
  notes,
  table,
  pageHead,
  frame,
  lists,
  repository,
  code,
  prose,
  people,
].join('\n')
