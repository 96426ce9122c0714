import { command } from '../command-definition.ts'
import connect from './sandbox/connect.ts'
import exec from './sandbox/exec.ts'
import list from './sandbox/list.ts'

export default command({
  name: 'sandbox',
  summary: 'Create, use and delete sandboxes.',
  commands: [list, exec, connect],
})
