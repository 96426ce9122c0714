import { command } from '../command-definition.ts'

export default command({
  name: 'cp',
  summary: 'Copy files and folders between this computer and a sandbox.',
  details:
    'ID:path is in the sandbox; a relative path begins at the home folder of its user. Folders are copied with everything in them, ' +
    'and modes, times and symlinks are kept. A file appears under its name only when it is complete. - is stdin or stdout. A file ' +
    'of this computer with a colon in its name is written as ./a:b.',
  arguments: [
    {
      syntax: '<paths...>',
      description: 'What to copy, and then where to: a name, or a folder to copy into.',
      completes: 'files',
    },
  ],
  examples: [
    {
      command: 'echo hello > hello.txt; sandglass cp hello.txt ID:Desktop/',
      explanation: 'Copy a file into a sandbox.',
    },
    { command: 'sandglass cp ID:/etc/os-release -', explanation: 'Print a file of a sandbox.' },
    { command: 'sandglass cp ID:/etc/skel ./skel', explanation: 'Copy a folder to this computer.' },
  ],
  async run(context, { args }) {
    const { copy } = await import('../io/copy/copy.ts')
    return copy(context, args)
  },
})
