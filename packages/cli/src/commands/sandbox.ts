import { command } from '../command-definition.ts'
import { hibernate, pause, restart, resume } from './sandbox/changes.ts'
import connect from './sandbox/connect.ts'
import create from './sandbox/create.ts'
import remove from './sandbox/delete.ts'
import exec from './sandbox/exec.ts'
import extend from './sandbox/extend.ts'
import fork from './sandbox/fork.ts'
import lifecycle from './sandbox/lifecycle.ts'
import list from './sandbox/list.ts'
import show from './sandbox/show.ts'
import snapshot from './sandbox/snapshot.ts'

export default command({
  name: 'sandbox',
  summary: 'Create, use and delete sandboxes.',
  commands: [
    create,
    list,
    show,
    exec,
    connect,
    extend,
    lifecycle,
    pause,
    resume,
    hibernate,
    restart,
    fork,
    snapshot,
    remove,
  ],
})
