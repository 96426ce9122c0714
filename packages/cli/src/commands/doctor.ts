import { findCheckout, serviceEnvironment } from '../checkout.ts'
import { command } from '../command-definition.ts'

export default command({
  name: 'doctor',
  summary: 'Check this machine and the connection to the service, and say how to fix what is wrong.',
  details: 'In a checkout it runs `npm run doctor` as well.',
  examples: [{ command: 'sandglass doctor', explanation: 'If something does not work.' }],
  async run(context) {
    const { checkConnection, printChecks, runHostDoctor } = await import('../doctor.ts')
    const checkout = await findCheckout(context.cwd)
    const code = checkout ? await runHostDoctor(checkout, serviceEnvironment(context.env)) : 0
    const checks = await checkConnection(context)
    printChecks(context, checks)
    return checks.some(({ result }) => result === 'fail') ? 1 : code
  },
})
