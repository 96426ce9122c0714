/** How an assistant is told about MCP servers. */
export interface AssistantFormat {
  /** In the folder of a project. */
  readonly file: string
  /** The field that has the servers. */
  readonly servers: 'mcpServers' | 'servers'
  /** Whether a server has to say that it speaks HTTP. */
  readonly namesType: boolean
  /** What stands for the key. */
  readonly keyReference: string
  readonly keyNote: string
  readonly inputs?: readonly {
    readonly id: string
    readonly type: string
    readonly description: string
    readonly password: boolean
  }[]
}

const fromEnvironment =
  'Set SANDGLASS_API_KEY where the assistant is started. `sandglass keys create` makes a key for it.'

/** What an assistant replaces by a value when it reads the file. */
const reference = (name: string) => `\${${name}}`

export type Assistant = keyof typeof assistants

export const assistants = {
  claude: {
    file: '.mcp.json',
    servers: 'mcpServers',
    namesType: true,
    keyReference: reference('SANDGLASS_API_KEY'),
    keyNote: fromEnvironment,
  },
  cursor: {
    file: '.cursor/mcp.json',
    servers: 'mcpServers',
    namesType: false,
    keyReference: reference('env:SANDGLASS_API_KEY'),
    keyNote: fromEnvironment,
  },
  vscode: {
    file: '.vscode/mcp.json',
    servers: 'servers',
    namesType: true,
    keyReference: reference('input:sandglass-api-key'),
    keyNote:
      'VS Code asks for the key when the server is first used. `sandglass keys create` makes one for it.',
    inputs: [
      { type: 'promptString', id: 'sandglass-api-key', description: 'API key of Sandglass', password: true },
    ],
  },
} as const satisfies Readonly<Record<string, AssistantFormat>>
