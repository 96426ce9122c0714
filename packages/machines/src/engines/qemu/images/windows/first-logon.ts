import { agentInstaller, driverFolders } from './drivers.ts'

/**
 * The PowerShell script that finishes an image: drivers, the guest agent, and settings for a machine that nobody sits at.
 * It reports to the first serial port, and shuts Windows down at its end, also if something failed, so that the host need
 * not wait. Windows runs it with all rights of an administrator.
 */
export function firstLogonScript(edition: string): string {
  const folders = driverFolders(edition).map(folder => `'${folder}'`)
  const script = String.raw`$ErrorActionPreference = 'Stop'

function Report([string]$text) {
  try {
    $port = New-Object System.IO.Ports.SerialPort 'COM1', 115200
    $port.WriteTimeout = 10000
    $port.Open()
    $port.WriteLine('sandglass: ' + ($text -replace '\s+', ' '))
    $port.Close()
  } catch { }
}

function Invoke-Program([string]$program, [string[]]$arguments, [int[]]$accepted = @(0)) {
  $process = Start-Process -FilePath $program -ArgumentList $arguments -Wait -PassThru -WindowStyle Hidden
  if ($accepted -notcontains $process.ExitCode) { throw ($program + ' ended with ' + $process.ExitCode) }
}

function Set-Value([string]$key, [string]$name, $value, [string]$type = 'DWord') {
  if (-not (Test-Path $key)) { New-Item -Path $key -Force | Out-Null }
  New-ItemProperty -Path $key -Name $name -Value $value -PropertyType $type -Force | Out-Null
}

# Windows asks whether to trust a publisher, unless it already does.
function Approve-Publisher([string]$folder) {
  $store = New-Object System.Security.Cryptography.X509Certificates.X509Store 'TrustedPublisher', 'LocalMachine'
  $store.Open('ReadWrite')
  foreach ($catalog in Get-ChildItem -Path $folder -Filter '*.cat') {
    $signer = (Get-AuthenticodeSignature $catalog.FullName).SignerCertificate
    if ($signer) { $store.Add($signer) }
  }
  $store.Close()
}

function Install-Drivers([string]$cd) {
  foreach ($folder in @(${folders.join(', ')})) {
    $path = Join-Path $cd $folder
    Approve-Publisher $path
    # 259: there is nothing to update; 3010: it is complete after a restart.
    Invoke-Program 'pnputil.exe' @('/add-driver', ('"' + (Join-Path $path '*.inf') + '"'), '/install') @(0, 259, 3010)
  }
}

function Install-Agent([string]$cd) {
  $installer = '"' + (Join-Path $cd '${agentInstaller}') + '"'
  Invoke-Program 'msiexec.exe' @('/i', $installer, '/qn', '/norestart') @(0, 3010)
  Set-Service -Name 'QEMU-GA' -StartupType Automatic
  Start-Service -Name 'QEMU-GA'
  (Get-Service -Name 'QEMU-GA').WaitForStatus('Running', '00:02:00')
}

function Set-SignIn {
  $winlogon = 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Winlogon'
  Set-Value $winlogon 'AutoAdminLogon' '1' 'String'
  Set-Value $winlogon 'DefaultUserName' $env:USERNAME 'String'
  Set-Value $winlogon 'DefaultPassword' '' 'String'
  Remove-ItemProperty -Path $winlogon -Name 'AutoLogonCount' -ErrorAction SilentlyContinue
  Invoke-Program 'net.exe' @('accounts', '/maxpwage:unlimited')
  Set-Value 'HKLM:\SOFTWARE\Policies\Microsoft\Windows\Personalization' 'NoLockScreen' 1
  Set-Value 'HKLM:\SOFTWARE\Policies\Microsoft\Windows\OOBE' 'DisablePrivacyExperience' 1
  Set-Value 'HKLM:\SOFTWARE\Microsoft\ServerManager' 'DoNotOpenServerManagerAtLogon' 1
}

function Set-Power {
  Invoke-Program 'powercfg.exe' @('/hibernate', 'off') @(0, 1)
  foreach ($name in 'monitor-timeout-ac', 'standby-timeout-ac', 'disk-timeout-ac') {
    Invoke-Program 'powercfg.exe' @('/change', $name, '0')
  }
  Set-Value 'HKCU:\Control Panel\Desktop' 'ScreenSaveActive' '0' 'String'
  # A machine that was switched off without a shutdown starts as usual.
  Invoke-Program 'bcdedit.exe' @('/set', '{default}', 'bootstatuspolicy', 'IgnoreAllFailures')
  Invoke-Program 'bcdedit.exe' @('/set', '{default}', 'recoveryenabled', 'No')
}

function Set-Quiet {
  $update = 'HKLM:\SOFTWARE\Policies\Microsoft\Windows\WindowsUpdate\AU'
  Set-Value $update 'NoAutoUpdate' 1
  Set-Value $update 'NoAutoRebootWithLoggedOnUsers' 1
  Set-Value 'HKLM:\SOFTWARE\Policies\Microsoft\Windows\CloudContent' 'DisableWindowsConsumerFeatures' 1
  Set-Value 'HKLM:\SOFTWARE\Policies\Microsoft\Edge' 'HideFirstRunExperience' 1
  New-Item -Path 'HKLM:\SYSTEM\CurrentControlSet\Control\Network\NewNetworkWindowOff' -Force | Out-Null
  Invoke-Program 'tzutil.exe' @('/s', 'UTC')
}

# The offsets are those of DEVMODEW. The screen keeps its size if the display cannot have this one.
function Set-Screen([int]$width, [int]$height) {
  try {
    $signature = '[DllImport("user32.dll")] public static extern int ChangeDisplaySettingsW(IntPtr mode, int flags);'
    $user32 = Add-Type -MemberDefinition $signature -Name 'Display' -Namespace 'Sandglass' -PassThru
    $mode = [Runtime.InteropServices.Marshal]::AllocHGlobal(220)
    foreach ($offset in 0..219) { [Runtime.InteropServices.Marshal]::WriteByte($mode, $offset, 0) }
    [Runtime.InteropServices.Marshal]::WriteInt16($mode, 68, 220)
    [Runtime.InteropServices.Marshal]::WriteInt32($mode, 72, 0x180000)
    [Runtime.InteropServices.Marshal]::WriteInt32($mode, 172, $width)
    [Runtime.InteropServices.Marshal]::WriteInt32($mode, 176, $height)
    $user32::ChangeDisplaySettingsW($mode, 1) | Out-Null
  } catch { }
}

try {
  Report 'first-logon'
  $cd = [System.IO.DriveInfo]::GetDrives() |
    Where-Object { $_.IsReady -and (Test-Path (Join-Path $_.Name '${agentInstaller}')) } |
    Select-Object -First 1 -ExpandProperty Name
  if (-not $cd) { throw 'the CD with the drivers is missing' }
  Install-Drivers $cd
  Report 'drivers'
  Install-Agent $cd
  Report 'agent'
  Set-SignIn
  Set-Power
  Set-Quiet
  Set-Screen 1280 720
  Remove-Item 'C:\Windows\Panther\unattend*.xml' -Force -ErrorAction SilentlyContinue
  Optimize-Volume -DriveLetter C -ReTrim -ErrorAction SilentlyContinue
  Report 'ready'
} catch {
  Report ('failed: ' + $_.Exception.Message)
} finally {
  Start-Process -FilePath 'shutdown.exe' -ArgumentList @('/s', '/f', '/t', '0')
}
`
  return script.replaceAll('\n', '\r\n')
}
