import { findCheckout, serviceEnvironment } from '../checkout.ts'
import { command } from '../command-definition.ts'
import { CliError } from '../failures.ts'

const steps = ['help', 'init', 'token', 'join', 'status', 'drain', 'return', 'leave']

export default command({
  name: 'cluster',
  summary: 'Make an Incus cluster of several boxes, and look after its members.',
  details:
    'It changes the box that it runs on, so it needs a checkout there, and root. It is `npm run cluster` of the checkout; ' +
    'docs/cluster.md describes each step.',
  arguments: [
    { syntax: '<step>', description: 'What to do; `help` lists the options of each.', choices: steps },
    { syntax: '[args...]', description: 'The arguments and options of the step.' },
  ],
  passesThrough: true,
  examples: [{ command: 'sandglass cluster help', explanation: 'What each step does.' }],
  async run(context, { args }) {
    const checkout = await findCheckout(context.cwd)
    if (!checkout)
      throw new CliError(
        'This folder is not in a checkout of Sandglass, which a member of a cluster is set up from.',
        'On the box that shall be a member, clone the repository, change to its folder, and run this again as root.',
      )
    const { runCheckoutScript } = await import('../checkout-script.ts')
    return runCheckoutScript(checkout, 'cluster', args, serviceEnvironment(context.env))
  },
})
