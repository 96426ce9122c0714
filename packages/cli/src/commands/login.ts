import { command } from '../command-definition.ts'

export default command<{ apiKeyStdin?: boolean }>({
  name: 'login',
  summary: 'Store the address of a service and an API key as a profile.',
  details:
    'The key is read from the terminal without being shown, or from standard input. It is checked before it is stored. There is no option for it, because other users of a machine can see the options of programs.',
  options: [{ flags: '--api-key-stdin', description: 'Read the key from standard input.' }],
  examples: [
    {
      command: 'echo "$KEY" | sandglass login --profile work --url URL --org ORG --api-key-stdin',
      explanation: 'Without a terminal.',
    },
    { command: 'sandglass login --profile work --url URL --org ORG', explanation: 'It asks for the key.' },
  ],
  async run(context, { options: { apiKeyStdin } }) {
    const { login } = await import('../login.ts')
    await login(context, apiKeyStdin === true)
  },
})
