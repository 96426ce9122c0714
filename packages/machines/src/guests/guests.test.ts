import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import type { CommandLine } from '../contract/guest-profile.ts'
import { androidGuest } from './android.ts'
import { apt } from './apt.ts'
import { consoleGuest } from './console.ts'
import { debianGuest } from './debian.ts'
import { windowsGuest } from './windows.ts'
import { winget } from './winget.ts'

const android = androidGuest({ user: 'shell', home: '/data/local/tmp' })
const windows = windowsGuest({ user: 'ada' })
const url = 'https://example.org/?a=1&b=%20"$HOME'

/** The script that a PowerShell command line carries. */
function decoded({ executable, args }: CommandLine): string {
  assert.equal(executable, 'powershell.exe')
  assert.equal(args.at(-2), '-EncodedCommand')
  return Buffer.from(args.at(-1) ?? '', 'base64').toString('utf16le')
}

for (const guest of [debianGuest, android, windows])
  describe(`the ${guest.os} guest`, () => {
    it('has a home that is an absolute path in its own style', () => {
      assert.ok(guest.paths.isAbsolute(guest.home))
      assert.ok(!guest.paths.isAbsolute('file.txt'))
      const inHome = guest.paths.join(guest.home, 'file.txt')
      assert.ok(guest.paths.isAbsolute(inHome))
      assert.equal(inHome, `${guest.home}${guest.paths.separator}file.txt`)
      assert.equal(guest.paths.join(`${guest.home}${guest.paths.separator}`, 'file.txt'), inHome)
    })

    it('takes no name for a file that leads out of its folder', () => {
      for (const name of ['', '.', '..', `..${guest.paths.separator}x`, `a${guest.paths.separator}b`])
        assert.ok(!guest.paths.isFileName(name), name)
      for (const name of ['a', '.profile', 'a b.txt', 'ü–漢', '...x']) assert.ok(guest.paths.isFileName(name))
    })

    it('hands over a URL as an argument of its own, so that no shell interprets it', () => {
      const passed = guest === windows ? url.replace('"', '%22') : url
      assert.equal(guest.openUrl(url).args.filter(argument => argument === passed).length, 1)
      assert.ok(
        !guest.openUrl(url).args.some(argument => argument !== passed && argument.includes('example')),
      )
    })
  })

test('Debian runs commands in a login bash, and scripts in a plain sh', () => {
  const { login, script } = debianGuest.shell
  assert.deepEqual(login('echo "$PATH"'), { executable: 'bash', args: ['-lc', 'echo "$PATH"'] })
  assert.deepEqual(script('echo'), { executable: 'sh', args: ['-c', 'echo'] })
})

test('Android needs no bash, installs nothing, and has the user that ADB has on the device', () => {
  assert.deepEqual(android.shell.login('id'), { executable: 'sh', args: ['-lc', 'id'] })
  assert.deepEqual([android.user, android.administrator, android.packages], ['shell', undefined, undefined])
})

test('Windows runs commands in PowerShell as they were written, and passes on their exit code', () => {
  const command = `Write-Output "it's" '漢' & exit 3`
  assert.ok(decoded(windows.shell.login(command)).startsWith(`${command}\n`))
  assert.match(decoded(windows.shell.script('x')), /exit \$LASTEXITCODE/)
  assert.ok(windows.shell.script('x').args.includes('-NoProfile'))
  assert.ok(!windows.shell.login('x').args.includes('-NoProfile'))
})

test('paths of Windows have a drive or a server, and names have none of the reserved characters', () => {
  const { isAbsolute, isFileName } = windows.paths
  for (const path of ['C:\\Users', 'c:/Users', '\\\\server\\share']) assert.ok(isAbsolute(path), path)
  for (const path of ['\\Users', 'Users', 'C:file', '/etc']) assert.ok(!isAbsolute(path), path)
  for (const name of ['a:b', 'a?', 'a/b', 'trailing. ', 'dot.', 'C:']) assert.ok(!isFileName(name), name)
  for (const name of ['con', 'NUL.txt', 'Com1', 'a\nb', 'a\0b']) assert.ok(!isFileName(name), name)
  for (const name of ['console', 'nullable.txt', 'com10']) assert.ok(isFileName(name), name)
})

test('apt installs files without a mirror, and its progress and complaints are understood', () => {
  const { executable, args } = apt.install(['/a.deb', '/b.deb'])
  assert.equal(executable, 'apt-get')
  assert.deepEqual(args.slice(-4), ['--yes', 'install', '/a.deb', '/b.deb'])
  assert.equal(apt.progressOf('pmstatus:hello:20:x\npmstatus:hello:60.4:Installing\n'), 60)
  assert.equal(apt.progressOf('Reading package lists...'), undefined)
  assert.equal(apt.complaintOf('', 'W: old\nE: no space\nmore'), 'E: no space')
  assert.equal(apt.complaintOf('', 'dpkg: broken\n'), 'dpkg: broken')
})

test('winget installs by name without questions, and its progress and complaints are understood', () => {
  const { executable, args } = winget.install(['Mozilla.Firefox'])
  assert.equal(executable, 'winget.exe')
  assert.deepEqual([args[0], args.at(-1)], ['install', 'Mozilla.Firefox'])
  assert.ok(args.includes('--accept-package-agreements'))
  assert.equal(winget.progressOf('  10%\r  55%\r'), 55)
  assert.equal(winget.complaintOf('  55%\rNo package found.\r\n', ''), 'No package found.')
})

test('only Debian has a browser that programs drive, and it takes options as arguments of their own', () => {
  const { browser } = debianGuest
  assert.ok(browser)
  const locale = '$(id)'
  const flags = browser.start({ locale, extensions: ['/a b', '/c'] }).args.slice(3)
  for (const flag of [`--lang=${locale}`, `--accept-lang=${locale}`, '--load-extension=/a b,/c'])
    assert.equal(flags.filter(one => one === flag).length, 1, flag)
  assert.deepEqual([flags[0], browser.start().args[3], browser.stop.args[3]], ['only', 'start', 'stop'])
  // The same options are the same text, so that a browser that runs without any is recognised.
  assert.equal(browser.start({ extensions: [] }).args[5], browser.start().args[5])
  for (const guest of [android, windows, consoleGuest('linux'), consoleGuest('windows')])
    assert.equal(guest.browser, undefined)
})

test('where a browser listens is read only from what it says, and nothing else', () => {
  const endpointIn = (stdout: string) => debianGuest.browser?.endpointIn(stdout)
  assert.deepEqual(endpointIn('6667 /devtools/browser/1a-2b\n'), {
    port: 6667,
    path: '/devtools/browser/1a-2b',
  })
  for (const stdout of [
    '',
    '6667\n',
    '6667 /json\n',
    'x 6667 /devtools/browser/a\n',
    '6667 /devtools/browser/a\nmore\n',
  ])
    assert.equal(endpointIn(stdout), undefined, stdout)
})
