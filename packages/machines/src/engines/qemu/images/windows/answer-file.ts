import { driverPaths } from './drivers.ts'
import { type Element, element as e, xmlDocument } from './xml.ts'

/** What Windows Setup would ask a person. */
export interface WindowsAnswers {
  /** The name of the edition as the ISO has it, for example `Windows 11 Pro`. */
  readonly edition: string
  /** The language of the ISO, for example `en-US`. It is also that of the keyboard and of formats. */
  readonly locale: string
  readonly user: string
  readonly productKey?: string | undefined
}

/** The name of the file for which Windows Setup looks on every CD. */
export const answerFileName = 'autounattend.xml'
/** The script on the same CD that is run when the user is signed in for the first time. */
export const firstLogonName = 'sandglass.ps1'

const action = { 'wcm:action': 'add' }

const component = (name: string, content: readonly Element[]): Element =>
  e('component', content, {
    name,
    processorArchitecture: 'amd64',
    publicKeyToken: '31bf3856ad364e35',
    language: 'neutral',
    versionScope: 'nonSxS',
  })

const pass = (name: string, components: readonly Element[]): Element =>
  e('settings', components, { pass: name })

/** Writes a line to the first serial port, where the host reads how far the installation is. It never fails. */
const report = (phase: string) => `cmd.exe /c "echo sandglass: ${phase}> COM1 & exit 0"`

const setValue = (key: string, name: string) => `reg.exe add ${key} /v ${name} /t REG_DWORD /d 1 /f`

const commands = (paths: readonly string[]): Element =>
  e(
    'RunSynchronous',
    paths.map((path, index) =>
      e('RunSynchronousCommand', [e('Order', String(index + 1)), e('Path', path)], action),
    ),
  )

/** Makes the answer file for an installation without a person on the first disk, for machines with UEFI. */
export function answerFile(answers: WindowsAnswers): string {
  const root = e(
    'unattend',
    [
      pass('windowsPE', [
        languages('Microsoft-Windows-International-Core-WinPE', answers, true),
        winPeDrivers(answers),
        setup(answers),
      ]),
      pass('offlineServicing', [component('Microsoft-Windows-PnpCustomizationsNonWinPE', [paths(answers)])]),
      pass('specialize', specialize()),
      pass('oobeSystem', [
        languages('Microsoft-Windows-International-Core', answers, false),
        firstStart(answers),
      ]),
    ],
    {
      xmlns: 'urn:schemas-microsoft-com:unattend',
      'xmlns:wcm': 'http://schemas.microsoft.com/WMIConfig/2002/State',
    },
  )
  return xmlDocument(root)
}

function languages(name: string, { locale }: WindowsAnswers, isSetup: boolean): Element {
  const values = ['InputLocale', 'SystemLocale', 'UILanguage', 'UserLocale'].map(one => e(one, locale))
  return component(name, [...(isSetup ? [e('SetupUILanguage', [e('UILanguage', locale)])] : []), ...values])
}

const paths = ({ edition }: WindowsAnswers): Element =>
  e(
    'DriverPaths',
    driverPaths(edition).map((path, index) =>
      e('PathAndCredentials', [e('Path', path)], { ...action, 'wcm:keyValue': String(index + 1) }),
    ),
  )

const winPeDrivers = (answers: WindowsAnswers): Element =>
  component('Microsoft-Windows-PnpCustomizationsWinPE', [paths(answers)])

/** The disk gets a partition for UEFI, the one that Windows reserves, and one for everything else. */
function setup({ edition, user, productKey }: WindowsAnswers): Element {
  const create = (order: string, type: string, size: Element) =>
    e('CreatePartition', [e('Order', order), e('Type', type), size], action)
  const format = (order: string, more: readonly Element[]) =>
    e('ModifyPartition', [e('Order', order), e('PartitionID', order), ...more], action)
  const disk = e(
    'Disk',
    [
      e('CreatePartitions', [
        create('1', 'EFI', e('Size', '300')),
        create('2', 'MSR', e('Size', '16')),
        create('3', 'Primary', e('Extend', 'true')),
      ]),
      e('ModifyPartitions', [
        format('1', [e('Format', 'FAT32'), e('Label', 'System')]),
        format('2', []),
        format('3', [e('Format', 'NTFS'), e('Label', 'Windows'), e('Letter', 'C')]),
      ]),
      e('DiskID', '0'),
      e('WillWipeDisk', 'true'),
    ],
    action,
  )
  return component('Microsoft-Windows-Setup', [
    e('Diagnostics', [e('OptIn', 'false')]),
    e('DiskConfiguration', [disk, e('WillShowUI', 'OnError')]),
    e('DynamicUpdate', [e('Enable', 'false'), e('WillShowUI', 'Never')]),
    e('ImageInstall', [
      e('OSImage', [
        e('InstallFrom', [e('MetaData', [e('Key', '/IMAGE/NAME'), e('Value', edition)], action)]),
        e('InstallTo', [e('DiskID', '0'), e('PartitionID', '3')]),
        e('WillShowUI', 'OnError'),
      ]),
    ]),
    commands([report('setup')]),
    e('UserData', [
      e('AcceptEula', 'true'),
      e('FullName', user),
      e('ProductKey', [...(productKey ? [e('Key', productKey)] : []), e('WillShowUI', 'OnError')]),
    ]),
  ])
}

function specialize(): Element[] {
  const control = 'HKLM\\SYSTEM\\CurrentControlSet\\Control'
  return [
    component('Microsoft-Windows-Deployment', [
      commands([
        report('specialize'),
        // The clock of the machine has UTC.
        setValue(`${control}\\TimeZoneInformation`, 'RealTimeIsUniversal'),
        // A TPM makes Windows encrypt the disk, which would then be bound to the TPM of one machine.
        setValue(`${control}\\BitLocker`, 'PreventDeviceEncryption'),
        // There is no network during the installation.
        setValue('HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\OOBE', 'BypassNRO'),
      ]),
    ]),
    component('Microsoft-Windows-Security-SPP-UX', [e('SkipAutoActivation', 'true')]),
    component('Microsoft-Windows-Shell-Setup', [e('ComputerName', 'sandbox'), e('TimeZone', 'UTC')]),
    component('Microsoft-Windows-TerminalServices-LocalSessionManager', [e('fDenyTSConnections', 'true')]),
  ]
}

/** The user has no password, with which Windows lets nobody sign in over a network. */
function firstStart({ user }: WindowsAnswers): Element {
  const noPassword = e('Password', [e('Value', ''), e('PlainText', 'true')])
  // The letters of CDs depend on the version of Windows.
  const find = `for %d in (D E F G H I J) do if exist %d:\\${firstLogonName} powershell.exe -NoProfile -ExecutionPolicy Bypass -File %d:\\${firstLogonName}`
  return component('Microsoft-Windows-Shell-Setup', [
    e('AutoLogon', [noPassword, e('Enabled', 'true'), e('LogonCount', '1'), e('Username', user)]),
    e('FirstLogonCommands', [
      e(
        'SynchronousCommand',
        [e('CommandLine', `cmd.exe /c "${find}"`), e('Description', 'Set up the sandbox'), e('Order', '1')],
        action,
      ),
    ]),
    e('OOBE', [
      e('HideEULAPage', 'true'),
      e('HideOEMRegistrationScreen', 'true'),
      e('HideOnlineAccountScreens', 'true'),
      e('HideWirelessSetupInOOBE', 'true'),
      e('ProtectYourPC', '3'),
    ]),
    e('UserAccounts', [
      e('LocalAccounts', [
        e(
          'LocalAccount',
          [noPassword, e('DisplayName', user), e('Group', 'Administrators'), e('Name', user)],
          action,
        ),
      ]),
    ]),
  ])
}
