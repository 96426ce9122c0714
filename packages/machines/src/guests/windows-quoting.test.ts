import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CommandLine } from '../contract/guest-profile.ts'
import { windowsFileScripts } from '../engines/qemu/console/files/windows-file-scripts.ts'
import { consoleGuest } from './console.ts'
import { windowsGuest } from './windows.ts'
import { powershellScript, windowsArgument, windowsCommandLine } from './windows-quoting.ts'

/** Texts that somebody may choose in order to end an argument, a string or a command early. */
const hostile = [
  '',
  'a b',
  '"',
  '\\',
  'C:\\dir\\',
  'C:\\a dir\\',
  '\\\\"\\"',
  'a"b c\\\\"',
  "it's",
  '’; exit 7; ’',
  '‘x’ “y”',
  '$(exit 7) `n $env:PATH',
  "'; Remove-Item C:\\ -Recurse #",
  'a & b | c > d %PATH% ^',
  'line\nbreak\r\n',
  '--% /c',
  '@file',
  '漢字 😀',
]

/** Splits a command line by the rules of Microsoft's C runtime, which most programs on Windows are built with. */
function split(line: string): string[] {
  const args: string[] = []
  let [current, isQuoted, at] = [undefined as string | undefined, false, 0]
  while (at < line.length) {
    const backslashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0
    at += backslashes
    if (backslashes > 0) {
      const isEscaped = line[at] === '"' && backslashes % 2 === 1
      current = (current ?? '') + '\\'.repeat(line[at] === '"' ? backslashes >> 1 : backslashes)
      if (isEscaped) {
        current += '"'
        at++
      }
      continue
    }
    const character = line[at++] ?? ''
    if (character === '"') {
      isQuoted = !isQuoted
      current ??= ''
    } else if (!isQuoted && /[ \t]/.test(character)) {
      if (current !== undefined) args.push(current)
      current = undefined
    } else current = (current ?? '') + character
  }
  return current === undefined ? args : [...args, current]
}

/** The script of a command line, and the texts that are quoted in its last line by the rules of PowerShell. */
function decoded({ executable, args }: CommandLine): { script: string; texts: string[] } {
  assert.equal(executable, 'powershell.exe')
  assert.ok(
    args.every(argument => windowsArgument(argument) === argument),
    'nothing in it needs quoting',
  )
  const script = Buffer.from(args.at(-1) ?? '', 'base64').toString('utf16le')
  const list = script.slice(script.lastIndexOf('\n} ') + 3)
  const quote = "['\u2018-\u201b]"
  const literal = new RegExp(`${quote}((?:(?!${quote})[^]|${quote}{2})*)${quote}`, 'gy')
  const texts: string[] = []
  for (let match = literal.exec(list); match; match = literal.exec(list)) {
    texts.push((match[1] ?? '').replaceAll(new RegExp(`(${quote})${quote}`, 'g'), '$1'))
    if (list[literal.lastIndex] === ' ') literal.lastIndex++
    else assert.equal(literal.lastIndex, list.length, 'there is nothing but texts')
  }
  return { script, texts }
}

describe('command lines for Windows, which were checked by its rules and never run there', () => {
  it('pass every argument on as it is', () => {
    for (const text of hostile.filter(each => !/[\r\n]/.test(each)))
      assert.deepEqual(split(`program ${windowsArgument(text)} end`), ['program', text, 'end'])
    assert.deepEqual(split(windowsCommandLine(hostile)), hostile)
  })

  it('pass texts on to PowerShell as they are, and never as a part of the script', () => {
    const { script, texts } = decoded(powershellScript('Write-Output $args', ...hostile))
    assert.deepEqual(texts, hostile)
    assert.ok(script.includes('\nWrite-Output $args\n'))
  })

  it('name files only in texts', () => {
    for (const path of hostile) {
      const { list, makeDirectory, remove, stat, move, copy, beginWrite, finishWrite } = windowsFileScripts
      const commands = [stat(path, true), list(path), makeDirectory(path), remove(path), beginWrite(path)]
      const pairs = [move(path, path, true), copy(path, path), finishWrite(path, path, 0)]
      const harmless = stat('x', true)
      for (const command of [...commands, ...pairs]) assert.ok(decoded(command).texts.includes(path))
      assert.equal(
        decoded(stat(path, true)).script.split('\n} ')[0],
        decoded(harmless).script.split('\n} ')[0],
      )
    }
  })

  it('open URLs that need no quoting, whatever is in them', () => {
    const { openUrl } = windowsGuest({ user: 'ada' })
    for (const end of ['?a=1&b=2', '"&calc', ' C:\\x', '%22%20', '$(x)`', '|>^'])
      for (const argument of openUrl(`https://example.org/${end}`).args)
        assert.equal(windowsArgument(argument), argument)
  })

  it('say that a service has no browser', () => {
    const windows = consoleGuest('windows')
    assert.match(decoded(windows.openUrl('https://example.org/')).script, /exit 127/)
    assert.ok(windows.paths.isAbsolute(windows.home))
    assert.equal(consoleGuest('linux').openUrl('https://example.org/').executable, 'sh')
  })

  it('read what they print about files', () => {
    const line = '{"name":"a.txt","kind":"file","size":3,"modifiedMs":1700000000000}'
    const info = windowsFileScripts.infoOf(`${line}\r\n`, 'C:\\x\\a.txt')
    assert.deepEqual(
      [info.name, info.kind, info.size, info.modifiedMs],
      ['a.txt', 'file', 3, 1_700_000_000_000],
    )
    assert.equal(windowsFileScripts.entriesOf(`${line}\r\n${line}\r\n`, 'C:\\x').length, 2)
    assert.throws(() => windowsFileScripts.entriesOf('no JSON', 'C:\\x'), { code: 'STATE' })
  })
})
