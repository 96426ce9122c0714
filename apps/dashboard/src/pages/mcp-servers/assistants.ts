/** An assistant, and how it is told about an MCP server. */
interface Assistant {
  readonly id: string
  readonly name: string
  /** Where the configuration goes. */
  readonly place: string
  readonly configuration: (name: string, url: string) => string
}

const key = 'YOUR_API_KEY'
const json = (value: object) => JSON.stringify(value, undefined, 2)
const idOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'sandglass'

export const assistants: readonly Assistant[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    place: 'Terminal',
    configuration: (name, url) =>
      `claude mcp add --transport http ${idOf(name)} ${url} --header "X-Api-Key: ${key}"`,
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    place: 'claude_desktop_config.json',
    configuration: (name, url) =>
      json({
        mcpServers: {
          [idOf(name)]: { command: 'npx', args: ['-y', 'mcp-remote', url, '--header', `X-Api-Key:${key}`] },
        },
      }),
  },
  {
    id: 'cursor',
    name: 'Cursor',
    place: '~/.cursor/mcp.json',
    configuration: (name, url) =>
      json({ mcpServers: { [idOf(name)]: { url, headers: { 'X-Api-Key': key } } } }),
  },
  {
    id: 'vscode',
    name: 'VS Code',
    place: '.vscode/mcp.json',
    configuration: (name, url) =>
      json({ servers: { [idOf(name)]: { type: 'http', url, headers: { 'X-Api-Key': key } } } }),
  },
  {
    id: 'codex',
    name: 'Codex',
    place: '~/.codex/config.toml',
    configuration: (name, url) =>
      `[mcp_servers.${idOf(name)}]\nurl = ${JSON.stringify(url)}\nhttp_headers = { "X-Api-Key" = "${key}" }`,
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    place: '~/.gemini/settings.json',
    configuration: (name, url) =>
      json({ mcpServers: { [idOf(name)]: { httpUrl: url, headers: { 'X-Api-Key': key } } } }),
  },
  {
    id: 'other',
    name: 'Any other',
    place: 'Streamable HTTP',
    configuration: (name, url) =>
      json({ mcpServers: { [idOf(name)]: { type: 'http', url, headers: { 'X-Api-Key': key } } } }),
  },
]
