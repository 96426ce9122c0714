import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { SaxesParser } from 'saxes'
import { runCommand } from '../../../local/host/run-command.ts'
import { answerFile, answerFileName, firstLogonName, type WindowsAnswers } from './answer-file.ts'
import { writeAnswerMedia } from './answer-media.ts'
import { firstLogonScript } from './first-logon.ts'
import { installTestPackages } from './test-media.ts'

const answers: WindowsAnswers = { edition: 'Windows 11 Pro', locale: 'en-US', user: 'user' }
const unattend = 'urn:schemas-microsoft-com:unattend'
const wcm = 'http://schemas.microsoft.com/WMIConfig/2002/State'

/** The passes in which Windows reads a component, of those that are used here. */
const passesOf: Readonly<Record<string, readonly string[]>> = {
  'Microsoft-Windows-International-Core-WinPE': ['windowsPE'],
  'Microsoft-Windows-PnpCustomizationsWinPE': ['windowsPE'],
  'Microsoft-Windows-Setup': ['windowsPE'],
  'Microsoft-Windows-PnpCustomizationsNonWinPE': ['offlineServicing', 'auditSystem'],
  'Microsoft-Windows-Deployment': ['specialize', 'auditUser', 'generalize', 'oobeSystem'],
  'Microsoft-Windows-Security-SPP-UX': ['specialize', 'generalize', 'oobeSystem'],
  'Microsoft-Windows-Shell-Setup': ['specialize', 'oobeSystem', 'generalize', 'auditSystem', 'auditUser'],
  'Microsoft-Windows-TerminalServices-LocalSessionManager': ['specialize', 'offlineServicing', 'generalize'],
  'Microsoft-Windows-International-Core': ['specialize', 'oobeSystem'],
}

interface Found {
  /** The names from the root, such as `unattend/settings/component/OOBE`; passes and components by their own names. */
  readonly path: string
  readonly text: string
}

interface Read {
  readonly texts: readonly Found[]
  readonly components: readonly { readonly pass: string; readonly name: string }[]
}

/** Reads an answer file as Windows does: with namespaces, and all values by their places. */
function readAnswers(xml: string): Read {
  const parser = new SaxesParser({ xmlns: true })
  const path: string[] = []
  const texts: Found[] = []
  const components: { pass: string; name: string }[] = []
  let text = ''
  parser.on('error', error => {
    throw error
  })
  parser.on('opentag', tag => {
    assert.equal(tag.uri, unattend)
    const value = (name: string) => tag.attributes[name]?.value ?? ''
    if (tag.local === 'component') {
      components.push({ pass: path.at(-1) ?? '', name: value('name') })
      assert.deepEqual(['processorArchitecture', 'publicKeyToken', 'language', 'versionScope'].map(value), [
        'amd64',
        '31bf3856ad364e35',
        'neutral',
        'nonSxS',
      ])
    }
    for (const one of Object.values(tag.attributes)) if (one.prefix === 'wcm') assert.equal(one.uri, wcm)
    path.push(
      tag.local === 'settings' ? value('pass') : tag.local === 'component' ? value('name') : tag.local,
    )
    text = ''
  })
  parser.on('text', more => {
    text += more
  })
  parser.on('closetag', () => {
    texts.push({ path: path.slice(1).join('/'), text })
    path.pop()
    text = ''
  })
  parser.write(xml).close()
  return { texts, components }
}

const valuesAt = ({ texts }: Read, path: string) =>
  texts.filter(found => found.path === path).map(({ text }) => text)

describe('the answers for Windows Setup', () => {
  before(installTestPackages)

  it('are well-formed XML, whose components are in passes in which Windows reads them', async () => {
    const xml = answerFile(answers)
    await runCommand('xmllint', ['--noout', '--nonet', '-'], { input: xml })
    const { components } = readAnswers(xml)
    for (const { pass, name } of components) assert.ok(passesOf[name]?.includes(pass), `${name} in ${pass}`)
    assert.deepEqual(
      [...new Set(components.map(({ pass }) => pass))],
      ['windowsPE', 'offlineServicing', 'specialize', 'oobeSystem'],
    )
    const named = components.map(({ pass, name }) => `${pass} ${name}`)
    assert.equal(new Set(named).size, named.length, 'no component is repeated in a pass')
  })

  it('say what was asked for', () => {
    const read = readAnswers(answerFile({ ...answers, locale: 'de-DE', user: 'agent', productKey: 'KEY' }))
    const setup = 'windowsPE/Microsoft-Windows-Setup'
    const shell = 'oobeSystem/Microsoft-Windows-Shell-Setup'
    assert.deepEqual(valuesAt(read, `${setup}/ImageInstall/OSImage/InstallFrom/MetaData/Value`), [
      'Windows 11 Pro',
    ])
    assert.deepEqual(valuesAt(read, `${setup}/UserData/ProductKey/Key`), ['KEY'])
    assert.deepEqual(valuesAt(read, `${shell}/AutoLogon/Username`), ['agent'])
    assert.deepEqual(valuesAt(read, `${shell}/UserAccounts/LocalAccounts/LocalAccount/Name`), ['agent'])
    assert.deepEqual(valuesAt(read, `${shell}/FirstLogonCommands/SynchronousCommand/Order`), ['1'])
    for (const found of read.texts.filter(({ path }) => /\/([A-Z][a-z]+Locale|UILanguage)$/.test(path)))
      assert.equal(found.text, 'de-DE', found.path)
    const created = `${setup}/DiskConfiguration/Disk/CreatePartitions/CreatePartition/Type`
    assert.deepEqual(valuesAt(read, created), ['EFI', 'MSR', 'Primary'])
    assert.deepEqual(valuesAt(read, `${setup}/ImageInstall/OSImage/InstallTo/PartitionID`), ['3'])
    const drivers = valuesAt(
      read,
      'windowsPE/Microsoft-Windows-PnpCustomizationsWinPE/DriverPaths/PathAndCredentials/Path',
    )
    for (const name of ['viostor', 'vioscsi', 'NetKVM', 'vioserial'])
      assert.ok(drivers.includes(`E:\\${name}\\w11\\amd64`), drivers.join())
    // Without a key, there is no empty element, which Windows would take for a wrong key.
    assert.deepEqual(valuesAt(readAnswers(answerFile(answers)), `${setup}/UserData/ProductKey/Key`), [])
    // Windows cuts longer commands.
    for (const { path, text } of read.texts)
      if (/CommandLine$|RunSynchronousCommand\/Path$/.test(path)) assert.ok(text.length < 259, text)
  })

  it('cannot be extended by hostile values', async () => {
    const hostile = `Windows 11 </Value><x a="1" b='2'>&lt;&amp;]]>\u0000\u001b\ud800😀 %PATH%`
    const xml = answerFile({ ...answers, edition: hostile, user: hostile })
    await runCommand('xmllint', ['--noout', '--nonet', '-'], { input: xml })
    const read = readAnswers(xml)
    const kept = `Windows 11 </Value><x a="1" b='2'>&lt;&amp;]]>\ufffd😀 %PATH%`
    const setup = 'windowsPE/Microsoft-Windows-Setup'
    assert.deepEqual(valuesAt(read, `${setup}/ImageInstall/OSImage/InstallFrom/MetaData/Value`), [kept])
    assert.deepEqual(valuesAt(read, `${setup}/UserData/FullName`), [kept])
    assert.equal(read.texts.length, readAnswers(answerFile(answers)).texts.length)
  })

  it('know the drivers for the versions that virtio-win has, and no others', () => {
    const folders = {
      'Windows 10 Pro': 'w10',
      'Windows Server 2022 SERVERSTANDARD': '2k22',
      'Windows Server 2025 X': '2k25',
    }
    for (const [edition, folder] of Object.entries(folders)) {
      assert.match(answerFile({ ...answers, edition }), new RegExp(`D:\\\\viostor\\\\${folder}\\\\amd64`))
      assert.match(firstLogonScript(edition), new RegExp(`'NetKVM\\\\${folder}\\\\amd64'`))
    }
    assert.throws(
      () => answerFile({ ...answers, edition: 'Windows 7' }),
      /It is not known which drivers "Windows 7" needs/,
    )
  })

  it('come with a script in plain ASCII with the ends of lines of Windows, which always shuts down', () => {
    const script = firstLogonScript('Windows 11 Pro')
    assert.match(script, /^[\x20-\x7e\r\n]+$/)
    assert.ok(script.split('\n').every((line, index, all) => line.endsWith('\r') || index === all.length - 1))
    assert.match(script, /} finally {\r\n[^}]*shutdown\.exe/)
    // A backtick would escape what follows it, and a template of TypeScript that was not filled in looks like this.
    assert.doesNotMatch(script, /\$\{|`|undefined/)
    const count = (character: string) => script.split(character).length
    for (const [open, close] of ['{}', '()', '[]'])
      assert.equal(count(open ?? ''), count(close ?? ''), `${open}${close}`)
  })

  it('are on a CD, with the names as Windows sees them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
    try {
      const iso = join(folder, 'answers.iso')
      await writeAnswerMedia(iso, answers)
      // Without Rock Ridge, the names are those of the Joliet tree.
      const joliet = ['-read_fs', 'norock', '-indev', iso]
      const listed = await runCommand('xorriso', [...joliet, '-find', '/', '-type', 'f'])
      assert.deepEqual(listed.trim().split('\n').sort(), [`'/${answerFileName}'`, `'/${firstLogonName}'`])
      for (const [name, content] of [
        [answerFileName, answerFile(answers)],
        [firstLogonName, firstLogonScript(answers.edition)],
      ] as const) {
        const copy = join(folder, name)
        await runCommand('xorriso', ['-osirrox', 'on', ...joliet, '-extract', `/${name}`, copy])
        assert.equal(await readFile(copy, 'utf8'), content)
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
