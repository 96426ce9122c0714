import { command } from '../command-definition.ts'

/** The scripts of `sandglass completion` ask this. It is not in the help. */
export default command({
  name: '__complete',
  summary: 'Print what can follow words, one candidate per line with its description after a tab.',
  arguments: [{ syntax: '[words...]', description: 'The words so far; the last one is being typed.' }],
  passesThrough: true,
  isHidden: true,
  async run(context, { args }) {
    const { complete } = await import('../complete.ts')
    for (const { text, about } of await complete(context, args))
      context.output.line(about ? `${text}\t${about}` : text)
  },
})
