import { command } from '../command-definition.ts'
import { UsageError } from '../failures.ts'
import { parseScreen } from '../quantities.ts'
import { readText } from '../read-text.ts'

interface Size {
  readonly width: number
  readonly height: number
}

interface Options {
  readonly mobile?: boolean
  readonly types?: boolean
  readonly screen?: Size
  readonly picture?: Size
}

export default command<Options>({
  name: 'parse',
  summary: "Parse a model's text into actions.",
  arguments: [
    {
      syntax: '[type]',
      description: 'The family of the model; `auto` recognises it. --types lists them.',
      completes: 'parsers',
    },
    { syntax: '[text]', description: 'What the model wrote; standard input unless given.' },
  ],
  options: [
    { flags: '--types', description: 'List the families of models.' },
    { flags: '--mobile', description: 'The model drives a phone.' },
    {
      flags: '--screen <size>',
      description: 'The size of the screen, such as 1280x720.',
      parse: parseScreen,
    },
    {
      flags: '--picture <size>',
      description: 'The size of the picture that the model was given.',
      parse: parseScreen,
    },
  ],
  examples: [
    {
      command: `sandglass parse ui-tars "Thought: I see it. Action: click(point='<point>200 300</point>')"`,
      explanation: 'The actions, one per line.',
    },
    {
      command: 'echo "Action: wait()" | sandglass parse ui-tars -o json',
      explanation: 'Everything that was found.',
    },
    { command: 'sandglass parse --types', explanation: 'What can be parsed.' },
  ],
  async run(context, { args: [type, given], options: { mobile, types, screen, picture } }) {
    const { output, signal } = context
    const client = await context.client()
    if (types)
      return output.list(await client.listParserTypes({}, { signal }), {
        columns: [
          { title: 'TYPE', value: ({ type }) => type },
          { title: 'FOR', value: ({ spaces }) => spaces.join(', ') },
          { title: 'ABOUT', value: ({ about }) => about },
        ],
        nameOf: ({ type }) => type,
        empty: 'There are none.',
      })
    if (!type)
      throw new UsageError(
        'It is not known which model wrote it.',
        '`sandglass parse --types` lists what can be parsed.',
      )
    const body = {
      textContent: await readText(context, given, 'text'),
      ...(screen && { screenWidth: screen.width, screenHeight: screen.height }),
      ...(picture && { imageWidth: picture.width, imageHeight: picture.height }),
    }
    const operation = mobile ? 'parseMobileUseModelTextOutput' : 'parseModelTextOutput'
    const parsed = await client[operation]({ type, body }, { signal })
    if (output.format === 'json') return output.json(parsed)
    for (const action of parsed.actions)
      output.line(output.format === 'name' ? action.type : JSON.stringify(action))
    if (parsed.actions.length === 0) context.note('There is no action in the text.')
  },
})
