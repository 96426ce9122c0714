import { command } from '../command-definition.ts'
import list from './sandbox/list.ts'

export default command({
  name: 'sandbox',
  summary: 'Create, use and delete sandboxes.',
  commands: [list],
})
