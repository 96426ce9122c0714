import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewProgram } from './programs.ts'
import { screenshotPathOf } from './screenshot-command.ts'

const path = '/tmp/screenshot-aB3dE6gH9jK2mN5p.png'
const program = (command: string, more: Partial<NewProgram> = {}): NewProgram => ({
  executable: '/bin/bash',
  args: ['-l', '-c', command],
  env: {},
  takesInput: false,
  ...more,
})

test('the command of screenshot() is recognized', () => {
  assert.equal(screenshotPathOf(program(`scrot --pointer ${path}`)), path)
})

for (const command of [
  `scrot ${path}`,
  `scrot  --pointer ${path}`,
  `scrot --pointer ${path} `,
  `scrot --pointer ${path}\n`,
  `scrot --pointer ${path}; true`,
  `scrot --pointer --delay 1 ${path}`,
  'scrot --pointer /tmp/screenshot-aB3dE6gH9jK2mN5.png',
  'scrot --pointer /tmp/screenshot-aB3dE6gH9jK2mN5/../x.png',
  'scrot --pointer /tmp/screenshot-$(date).png',
  'scrot --pointer /home/user/screenshot-aB3dE6gH9jK2mN5p.png',
  `sudo scrot --pointer ${path}`,
])
  test(`${JSON.stringify(command)} is run as it is`, () => {
    assert.equal(screenshotPathOf(program(command)), undefined)
  })

const command = `scrot --pointer ${path}`
for (const [what, more] of Object.entries<Partial<NewProgram>>({
  'another environment': { env: { PATH: '/opt' } },
  'a folder': { workingDirectory: '/nowhere' },
  'a terminal': { terminal: { rows: 24, columns: 80 } },
  'another shell': { executable: '/bin/sh' },
  'more arguments': { args: ['-l', '-c', command, 'x'] },
}))
  test(`the command with ${what} is run as it is`, () => {
    assert.equal(screenshotPathOf(program(command, more)), undefined)
  })
