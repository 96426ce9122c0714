import { command } from '../command-definition.ts'
import { findSandboxId } from '../find-by-name.ts'

export default command({
  name: 'adb',
  summary: 'Use the adb of this computer with a phone or the phone simulator.',
  details:
    'With arguments, adb runs with them and its exit code is that of this command. Without, it stays connected until Ctrl-C and ' +
    'prints how other programs use the phone. The adb server is one of its own, so the one that may be running is not disturbed.',
  arguments: [
    { syntax: '<sandbox>', description: 'The id or name of a phone.', completes: 'sandboxes' },
    { syntax: '[args...]', description: 'The arguments of adb, after --.' },
  ],
  examples: [
    {
      command: 'sandglass adb PHONE -- shell getprop ro.build.version.release',
      explanation: 'Run a command of the phone.',
    },
  ],
  async run(context, { args: [sandbox = '', ...args] }) {
    const { runAdb } = await import('../io/adb/run-adb.ts')
    return runAdb(context, await findSandboxId(context, sandbox), args)
  },
})
