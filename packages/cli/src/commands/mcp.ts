import { type Assistant, assistants } from '../assistants.ts'
import { command } from '../command-definition.ts'

interface Options {
  readonly write?: boolean
  readonly server?: string
  readonly withKey?: boolean
  readonly name?: string
}

const init = command<Options>({
  name: 'init',
  summary: 'Print the configuration that gives an assistant a computer, or write it to its file.',
  details:
    'The configuration names SANDGLASS_API_KEY (VS Code asks for the key) unless --with-key is given. See docs/mcp.md for what the assistant can do.',
  arguments: [
    { syntax: '<assistant>', description: 'Whose configuration.', choices: Object.keys(assistants) },
  ],
  options: [
    { flags: '-w, --write', description: 'Add it to the file of the assistant in this folder.' },
    { flags: '--server <id>', description: 'The MCP server; the default one unless given.' },
    { flags: '--with-key', description: 'Put the key itself into it. Such a file is a secret.' },
    { flags: '--name <name>', description: 'What the assistant calls it; sandglass unless given.' },
  ],
  examples: [
    { command: 'sandglass mcp init claude', explanation: 'To read it first.' },
    { command: 'sandglass mcp init cursor --write', explanation: 'Into .cursor/mcp.json.' },
    { command: 'sandglass mcp init vscode --write', explanation: 'Into .vscode/mcp.json.' },
  ],
  async run(context, { args: [assistant = ''], options: { write, server, withKey, name = 'sandglass' } }) {
    const { addToFile, configurationFor } = await import('../assistant-configuration.ts')
    const client = await context.client()
    const { url, apiKey } = await client.credentials()
    const { id } = server ? { id: server } : await client.getDefaultMcpServer({}, { signal: context.signal })
    const whose = assistants[assistant as Assistant]
    const entry = { name, url: `${url}/api/mcp/${id}`, ...(withKey && { apiKey }) }
    if (!write) return context.output.json(configurationFor(whose, entry))
    const file = await addToFile(context.cwd, whose, entry)
    context.output.done({ file }, file, `${name} is in ${file}.`)
    if (withKey) context.note('The file contains the key. Do not commit it.')
    else context.note(whose.keyNote)
  },
})

export default command({
  name: 'mcp',
  summary: 'Give an assistant a computer.',
  commands: [init],
})
