import { command } from '../command-definition.ts'

const shells = ['bash', 'zsh', 'fish'] as const

export default command({
  name: 'completion',
  summary: 'Print the completions for a shell.',
  details:
    'bash: source <(sandglass completion bash) in ~/.bashrc. zsh: source <(sandglass completion zsh) in ~/.zshrc. fish: sandglass completion fish > ~/.config/fish/completions/sandglass.fish.',
  arguments: [{ syntax: '<shell>', description: 'Your shell.', choices: shells }],
  examples: [{ command: 'source <(sandglass completion bash)', explanation: 'For this session of bash.' }],
  async run({ output }, { args: [shell = ''] }) {
    const { completionScripts } = await import('../completion-scripts.ts')
    output.write(completionScripts[shell as (typeof shells)[number]])
  },
})
