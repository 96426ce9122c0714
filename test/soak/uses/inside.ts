import type { Use } from './use.ts'

export const running: Use = {
  name: 'running programs',
  weight: 4,
  async run({ box, random, tally }) {
    const word = `word-${Math.floor(random() * 1e9)}`
    const { stdout } = await box.run(['sh', '-c', `echo ${word}; seq 200 >/dev/null`])
    if (stdout !== `${word}\n`) tally.wrong('a program', `printed ${JSON.stringify(stdout)}`)
  },
}

export const writingFiles: Use = {
  name: 'writing files',
  weight: 4,
  async run({ box, random, tally }) {
    const path = `files/${Math.floor(random() * 8)}`
    const bytes = Buffer.alloc(Math.floor(1 + random() ** 3 * 3_000_000), String(random()))
    await box.files.write(path, bytes)
    if (!bytes.equals(await box.files.read(path))) tally.wrong('a file', `${path} is not what was written`)
    if (random() < 0.3) await box.files.remove(path)
  },
}

/** Shells that are read to their end, that are killed, and that somebody forgets. */
export const shells: Use = {
  name: 'shells',
  weight: 3,
  async run({ box, random, tally }) {
    const dice = random()
    if (dice < 0.5) {
      const shell = await tally.of('a shell', box.shell('for n in $(seq 0 99); do echo line $n; done'))
      let printed = ''
      for await (const { stdout } of shell) printed += stdout ? Buffer.from(stdout).toString() : ''
      if (!printed.endsWith('line 99\n'))
        tally.wrong('a shell', `printed ${JSON.stringify(printed.slice(-40))}`)
      return
    }
    const shell = await tally.of('a shell', box.shell())
    await shell.write('echo hello\n')
    if (dice < 0.8) await shell.kill()
    shell.detach()
  },
}

const port = 8000

/** A web server in the machine, asked through its address and through a tunnel. */
export const ports: Use = {
  name: 'ports',
  weight: 2,
  async run({ box, random, tally }) {
    await box.run(`mkdir -p ~/web && echo served > ~/web/word.txt
      { setsid python3 -m http.server ${port} --bind 127.0.0.1 --directory ~/web >/dev/null 2>&1 & }
      for i in $(seq 100); do python3 -c "import socket; socket.create_connection(('127.0.0.1', ${port}))" 2>/dev/null && break; sleep 0.1; done`)
    const open = await box.ports.open(port)
    const answer = await tally.of('a mapped port', open.fetch('/word.txt'))
    const text = await answer.text()
    if (text !== 'served\n') tally.wrong('a mapped port', `answered ${answer.status} ${text.slice(0, 100)}`)
    const tunnel = await tally.of('a tunnel', box.ports.connect(port))
    tunnel.closed.catch(() => {})
    tunnel.close()
    if (random() < 0.5) await open.close()
  },
}
