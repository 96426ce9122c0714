import { requireCheckout, serviceEnvironment } from '../checkout.ts'
import { command } from '../command-definition.ts'

export default command<{ print?: boolean; now?: boolean }>({
  name: 'install-service',
  summary: 'Install the service of a checkout as a systemd service.',
  details:
    'It writes a unit and a file for settings, which requires root, and starts nothing unless --now is given. ' +
    'It can be repeated. docs/deployment.md describes what the unit does and why.',
  options: [
    { flags: '--print', description: 'Print the unit, and write nothing.' },
    { flags: '--now', description: 'Also start the service, now and at every boot.' },
  ],
  examples: [{ command: 'sandglass install-service --print', explanation: 'What would be written.' }],
  async run(context, { options: { print, now } }) {
    const checkout = await requireCheckout(context.cwd)
    const { runCheckoutScript } = await import('../checkout-script.ts')
    const args = [...(print ? ['--print'] : []), ...(now ? ['--now'] : [])]
    return runCheckoutScript(checkout, 'install-service', args, serviceEnvironment(context.env))
  },
})
