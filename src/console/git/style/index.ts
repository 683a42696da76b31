import base from '../../styles/base.css' with { type: 'text' }
import brand from '../../styles/parts/brand.css' with { type: 'text' }
import button from '../../styles/parts/button.css' with { type: 'text' }
import card from '../../styles/parts/card.css' with { type: 'text' }
import input from '../../styles/parts/input.css' with { type: 'text' }
import popover from '../../styles/parts/popover.css' with { type: 'text' }
import notes from '../../styles/parts/notes.css' with { type: 'text' }
import pageHead from '../../styles/parts/page-head.css' with { type: 'text' }
import status from '../../styles/parts/status.css' with { type: 'text' }
import table from '../../styles/parts/table.css' with { type: 'text' }
import shell from '../../styles/pages/shell.css' with { type: 'text' }
import tokens from '../../styles/tokens.css' with { type: 'text' }
import code from './code.css' with { type: 'text' }
import frame from './frame.css' with { type: 'text' }
import lists from './lists.css' with { type: 'text' }
import prose from '../../styles/parts/prose.css' with { type: 'text' }
import repository from './repository.css' with { type: 'text' }

/** The look of the console, and what pages of repositories have beyond it. */
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
  popover,
  table,
  pageHead,
  shell,
  frame,
  lists,
  repository,
  code,
  prose,
].join('\n')
