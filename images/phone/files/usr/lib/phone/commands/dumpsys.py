"""dumpsys window | activity | input_method | power | package"""
from gi.repository import Gdk


def run(phone, arguments, answer):
    service = arguments[0] if arguments else ''
    screen = Gdk.Screen.get_default()
    full = phone.component.replace('/.', '/' + phone.component.split('/')[0] + '.')
    if service == 'window':
        answer(f'  mCurrentFocus=Window{{5a6d u0 {full}}}\n  mFocusedApp=ActivityRecord{{1b2c u0 {phone.component} t1}}\n'
               f'  init={screen.get_width()}x{screen.get_height()} 320dpi cur={screen.get_width()}x{screen.get_height()} rot=0\n')
    elif service == 'activity':
        answer(f'  topResumedActivity=ActivityRecord{{1b2c u0 {phone.component} t1}}\n  ResumedActivity: ActivityRecord{{1b2c u0 {phone.component} t1}}\n'
               + ''.join(f'  * Hist #{number}: ActivityRecord{{u0 {package}/.MainActivity}}\n' for number, package in enumerate(phone.running)))
    elif service == 'input_method':
        answer(f'  mCurMethodId=com.android.adbkeyboard/.AdbIME\n  mInputShown={str(phone.keyboard.get_visible()).lower()}\n')
    elif service == 'power':
        answer('  mWakefulness=Awake\n')
    elif service == 'package':
        answer(''.join(f'  Package [{package}] (1):\n    versionName=1.0\n' for package in phone.apps if package in arguments[1:] or not arguments[1:]))
    else:
        answer(err=f"Can't find service: {service}\n", code=0)
