import { requireCheckout } from '../checkout.ts'
import { command } from '../command-definition.ts'

export default command<{ detach?: boolean }>({
  name: 'up',
  summary: 'Start the service of a checkout, as `npm start` does.',
  details:
    'It runs until Ctrl-C, or in the background with --detach. Settings are environment variables; see docs/settings.md.',
  options: [{ flags: '-d, --detach', description: 'Go on in the background once it serves.' }],
  examples: [{ command: 'sandglass up --detach', explanation: 'A service on this machine.' }],
  async run(context, { options: { detach } }) {
    const checkout = await requireCheckout(context.cwd)
    const { startService } = await import('../start-service.ts')
    return startService(context, checkout, detach === true)
  },
})
