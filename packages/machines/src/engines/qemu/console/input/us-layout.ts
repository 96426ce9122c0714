import type { KeyboardLayout } from './keyboard-layout.ts'

/** The keyboard of the United States, which firmware and most installers assume. */
export const usLayout: KeyboardLayout = {
  name: 'us',
  keys: [
    ['grave_accent', '`~'],
    ['1', '1!'],
    ['2', '2@'],
    ['3', '3#'],
    ['4', '4$'],
    ['5', '5%'],
    ['6', '6^'],
    ['7', '7&'],
    ['8', '8*'],
    ['9', '9('],
    ['0', '0)'],
    ['minus', '-_'],
    ['equal', '=+'],
    ['bracket_left', '[{'],
    ['bracket_right', ']}'],
    ['backslash', '\\|'],
    ['semicolon', ';:'],
    ['apostrophe', `'"`],
    ['comma', ',<'],
    ['dot', '.>'],
    ['slash', '/?'],
    ['spc', ' '],
    ...Array.from('abcdefghijklmnopqrstuvwxyz', letter => [letter, letter + letter.toUpperCase()] as const),
  ],
}
