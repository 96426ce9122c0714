import './guide/guide.css'
import { followTheme } from './app/theme.ts'
import { addColoursButton } from './guide/colours-button.ts'
import { addCopyButtons } from './guide/copy-buttons.ts'
import { addSearch } from './guide/search-box.ts'

/** The pages of the guide are complete without this; it adds what needs a script. */
followTheme()
addEventListener('DOMContentLoaded', () => {
  addColoursButton()
  addCopyButtons()
  addSearch()
})
