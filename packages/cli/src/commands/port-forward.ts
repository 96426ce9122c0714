import { command } from '../command-definition.ts'
import { findSandboxId } from '../find-by-name.ts'

export default command<{ address?: string }>({
  name: 'port-forward',
  summary: 'Forward TCP ports of this computer to ports of a sandbox, until Ctrl-C.',
  details:
    'Whatever speaks TCP works: databases, SSH, VNC, the DevTools protocol. The program in the sandbox may listen on 127.0.0.1 only. ' +
    'If it does not listen, a connection is closed and the reason is printed.',
  arguments: [
    { syntax: '<sandbox>', description: 'Its id or name.', completes: 'sandboxes' },
    {
      syntax: '<ports...>',
      description:
        '9222 for the same port on both sides, 5000:80 for port 80 of the sandbox, 0:80 for any free port here.',
    },
  ],
  options: [{ flags: '--address <address>', description: 'Where to listen on this computer (127.0.0.1).' }],
  examples: [
    {
      command: 'sandglass port-forward ID 0:5000 9222',
      explanation: 'Port 5000 of the sandbox at any free port, and 9222 at the same one.',
    },
  ],
  async run(context, { args: [sandbox = '', ...ports], options: { address = '127.0.0.1' } }) {
    const { forwardPorts, parseForward } = await import('../io/forward/forward-ports.ts')
    const forwards = ports.map(parseForward)
    await forwardPorts(context, await findSandboxId(context, sandbox), forwards, address)
  },
})
