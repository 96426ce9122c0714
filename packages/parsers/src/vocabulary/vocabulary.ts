import type { Dialect } from '../dialect.ts'
import type { Intents } from '../intent.ts'
import { Memo } from '../readers/memo.ts'
import { internName } from '../readers/names.ts'
import type { Fields } from '../readers/value.ts'
import { hold, keyChange, press, pressOne, type, typeAndEnter } from './keyboard.ts'
import { buttonChange, click, drag, longPress, type Meaning, move } from './pointer.ts'
import { scroll, scrollTowards, sideways, swipe } from './scrolling.ts'
import { ask, closeApp, fail, finish, key, openApp, plain, systemButton, terminate, wait } from './system.ts'

/** The shared vocabulary in lowercase without `_`, `-` and spaces, and its meaning. */
const words: readonly (readonly [string, Meaning])[] = [
  [
    'click tap singleclick leftclick leftsingle leftsingleclick clickat tapat clickelement clickon',
    click(undefined, 1),
  ],
  ['doubleclick leftdouble leftdoubleclick doubletap dblclick doubleclickat', click(undefined, 2)],
  ['tripleclick lefttriple lefttripleclick tripleclickat', click(undefined, 3)],
  ['rightclick rightsingle rightsingleclick rightclickat', click(2, 1)],
  ['rightdouble rightdoubleclick', click(2, 2)],
  ['middleclick middlesingle middlesingleclick wheelclick', click(4, 1)],
  ['backclick', click(8, 1)],
  ['forwardclick', click(16, 1)],
  ['move mousemove moveto hover hoverat movemouse cursormove moveat', move],
  ['mousedown leftmousedown', buttonChange('buttonDown')],
  ['mouseup leftmouseup', buttonChange('buttonUp')],
  ['drag leftclickdrag leftdrag draganddrop dragto select leftclickanddrag mousedrag selecttext', drag],
  ['longpress longclick longtap presslong touchlongpress longpressat tapandhold androidlongpress', longPress],
  ['scroll scrollat scrolldocument scrollwheel mousescroll scrollvertical', scroll],
  ['hscroll scrollhorizontal', sideways],
  ['scrollup', scrollTowards('up')],
  ['scrolldown', scrollTowards('down')],
  ['scrollleft', scrollTowards('left')],
  ['scrollright', scrollTowards('right')],
  ['swipe slide flick fling', swipe],
  [
    'type input inputtext write typewrite typetext entertext typeat typename setvalue writeelement writeelementabs',
    type,
  ],
  ['taptypeandenter', typeAndEnter],
  ['press', pressOne],
  ['hotkey key keypress presskey keycombination presskeys shortcut keyboard keyboardpress', press],
  ['presshotkey combokey keyevent', press],
  ['holdkey', hold],
  ['keydown', keyChange('keyDown')],
  ['keyup release releasekey', keyChange('keyUp')],
  ['enter pressenter keyboardenter', key('Return')],
  ['wait sleep pause idle', wait],
  ['finished finish done complete completed taskcomplete taskdone stop success output', terminate],
  ['answer finalanswer submitanswer', finish],
  ['fail failed failure infeasible abort impossible giveup errorenv', fail],
  ['terminate status end', terminate],
  [
    'calluser ask askuser askhuman takeover interact requestuser userinteraction info question requesthelp yieldtouser',
    ask,
  ],
  ['screenshot takescreenshot snapshot observe', plain('screenshot')],
  ['pressback back navigateback systemback goback androidbackbutton', plain('back')],
  ['presshome home navigatehome systemhome gohome androidhomebutton', plain('home')],
  ['listapps getapps', plain('listApps')],
  ['openapp launch launchapp open startapp awake activateapp', openApp],
  ['closeapp killapp stopapp', closeApp],
  ['systembutton pressbutton', systemButton],
]

const maxWordLength = 40

const normalisedWords = new Memo(normalise)

const meanings = new Map<string, Meaning>()
for (const [names, meaning] of words) {
  for (const name of names.split(' ')) {
    meanings.set(name, meaning)
    internName(name)
  }
}

/** The most common spellings of desktop models, which then need no normalisation. */
for (const verb of [
  'left_double',
  'right_single',
  'left_click',
  'right_click',
  'double_click',
  'long_press',
]) {
  const meaning = meanings.get(plainWord(verb))
  if (meaning !== undefined) meanings.set(verb, meaning)
  internName(verb)
}

/** What a verb means, in any case and with any separator between its words. */
export function meaningOf(verb: string): Meaning | undefined {
  const known = meanings.get(verb)
  if (known !== undefined || verb.length > maxWordLength) return known
  return meanings.get(plainWord(verb))
}

export function plainWord(verb: string): string {
  return normalisedWords.of(verb)
}

function normalise(verb: string): string {
  const lower = verb.toLowerCase()
  if (!lower.includes('_') && !lower.includes('-') && !lower.includes(' ')) return lower
  let kept = ''
  for (let at = 0; at < lower.length; at++) {
    const code = lower.charCodeAt(at)
    if (code !== 95 && code !== 45 && code !== 32) kept += lower.charAt(at)
  }
  return kept
}

export function isWord(verb: string): boolean {
  return meaningOf(verb) !== undefined
}

/** The intents of an operation; undefined if its verb is unknown or its fields are invalid. */
export function understand(verb: string, fields: Fields, dialect: Dialect): Intents | undefined {
  return meaningOf(verb)?.(fields, dialect)
}
