# SPDX-License-Identifier: BSD-3-Clause
"""The page of perfometer for everybody: contrast of all that is to be read, as WCAG 2.1 AA
wants it, and the keyboard."""
import pages
import recordings
from test_page_live import AVAILABLE

# Of what is to be seen: texts with too little contrast, and edges of what can be typed into or clicked.
CONTRAST = """
const parse = color => {
    const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number);
    return { rgb: [r, g, b], a };
};
const over = (top, below) => top.rgb.map((part, i) => part * top.a + below[i] * (1 - top.a));
const linear = part => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
const luminance = rgb => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => sum + weight * linear(rgb[i]), 0);
const contrast = (a, b) => {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
};
const behind = node => node ? over(parse(getComputedStyle(node).backgroundColor), behind(node.parentElement))
    : [255, 255, 255];
const isSeen = node => node.checkVisibility({ visibilityProperty: true }) && node.getClientRects().length &&
    !node.closest('.unseen, option, :disabled');
const poor = [], seen = [];
const judge = (what, color, node, least) => {
    const ground = behind(node), ratio = contrast(over(parse(color), ground), ground);
    seen.push(what);
    if (ratio < least)
        poor.push(`${what}: ${ratio.toFixed(2)} of ${least}`);
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
    const node = walker.currentNode.parentElement, text = walker.currentNode.textContent.trim();
    if (!text || !isSeen(node) || node.closest('script'))
        continue;
    const style = getComputedStyle(node), size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
    judge(`${node.className || node.id || node.tagName} '${text}'`, style.color, node, isLarge ? 3 : 4.5);
}
for (const node of document.querySelectorAll('button, select, input'))
    if (isSeen(node)) {
        const style = getComputedStyle(node);
        judge(`edge of ${node.id}`, style.borderTopColor, node.parentElement, 3);
        judge(`color of ${node.id}`, style.color, node, 4.5);
        if (node.placeholder)
            judge(`placeholder of ${node.id}`, getComputedStyle(node, '::placeholder').color, node, 4.5);
    }
// What is drawn: the line itself, the numbers beside it, the names in bands.
const plain = name => {
    const pen = new OffscreenCanvas(1, 1).getContext('2d');
    pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)];
};
const back = plain('--back');
const judgeDrawn = (what, color, ground, least) => {
    seen.push(what);
    if (contrast(color, ground) < least)
        poor.push(`${what}: ${contrast(color, ground).toFixed(2)} of ${least}`);
};
judgeDrawn('the line', plain('--value'), back, 3);
judgeDrawn('the cursor', plain('--selected'), back, 3);
judgeDrawn('numbers of an axis', plain('--aside'), back, 4.5);
for (let i = 0; i < 6; i++)
    judgeDrawn(`a name in band ${i}`, plain('--text'), over({ rgb: plain('--band-' + i), a: 0.2 }, back), 4.5);
return [poor, seen];
"""

# What has the focus, and how that is to be seen.
FOCUS = """
const node = document.activeElement, style = getComputedStyle(node);
const box = node.getBoundingClientRect();
return { id: node.id, outline: style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth),
    color: style.outlineColor, inSight: box.left >= 0 && box.top >= 0 && box.right <= innerWidth &&
    box.bottom <= innerHeight && box.width > 0 && box.height > 0 };
"""


class AccessTest(pages.PageTest):
    def show_all_states(self):
        """A page that is connected, with doubts, marks, a gap, and events that cannot be counted."""
        made = recordings.picture()
        made.messages = [message for message in made.messages if message["type"] != "bye"]
        server = self.serve(made, AVAILABLE)
        self.wait_for(lambda: self.window.text("#event-count"), str(len(AVAILABLE) + 1))
        self.window.press("2", "Down", "Down", "1")
        return server

    def test_contrast(self):
        server = self.show_all_states()
        for theme in ("light", "dark"):
            self.assertEqual(self.window.run("return document.documentElement.dataset.theme"), theme)
            for keys in ((), ("2", "Down"), ("?",), ("Escape",)):
                self.window.press(*keys)
                poor, seen = self.window.run(CONTRAST)
                self.assertEqual(poor, [], theme)
                self.assertGreater(len(seen), 60)
            # Rows of each kind have been on the ground of the one that is active.
            for _ in range(len(AVAILABLE) + 1):
                self.window.press("2", "Down")
                self.assertEqual(self.window.run(CONTRAST)[0], [], theme)
            self.window.press("2", "Home", "1", "t")
        self.window.press("t")
        server.hang_up()
        server.close()
        self.wait_for(lambda: self.window.run("return document.getElementById('state').className") in
                      ("lost", "ended"), True)
        self.assertEqual(self.window.run(CONTRAST)[0], [])
        # The browser tells of the connection, each time that the page tries.
        self.window.go("about:blank")
        self.window.errors()

    def test_tab_goes_everywhere_and_is_seen(self):
        self.show_all_states()
        self.choose("view", "ratio")
        wanted = self.window.run(
            "return [...document.querySelectorAll('button, select, input, [tabindex=\"0\"]')].filter(node =>"
            " node.checkVisibility({ visibilityProperty: true }) && !node.disabled && !node.closest('dialog'))"
            ".map(node => node.id)")
        self.assertGreater(len(wanted), 15)
        self.assertIn("lanes", wanted)
        self.window.run("document.activeElement.blur(); getSelection().removeAllRanges();"
                        "document.getElementById('program').tabIndex = -1; document.getElementById('program').focus()")
        for key, ids in (("Tab", wanted), ("Shift+Tab", wanted[-2::-1])):
            found = []
            for _ in ids:
                self.window.press(key)
                focus = self.window.run(FOCUS)
                found.append(focus["id"])
                self.assertGreaterEqual(focus["outline"], 2, focus)
                self.assertTrue(focus["inSight"], focus)
            self.assertEqual(found, ids)

    def test_all_has_a_name_and_a_role(self):
        """For readers of the screen, as the browser tells them."""
        self.show_all_states()
        self.choose("view", "ratio")
        for selector in ("button", "select", "input", "[tabindex='0']", "section", "#state", "dialog"):
            for label, role in self.window.names(selector):
                if role != "none":  # that of what is hidden
                    self.assertTrue(label or selector in ("#state", "dialog"), (selector, role))
                    self.assertNotEqual(role, "generic", (selector, label))
        self.assertEqual(dict(self.window.names("[tabindex='0']")), {"Events": "grid", "Lanes": "grid"})
        self.window.press("?")
        self.assertIn(["Keys", "dialog"], [list(one) for one in self.window.names("dialog[open]")])
        self.window.press("Escape")
        # Where the arrows have gone is said: the row has an id, and is there.
        for key, box in (("1", "lanes"), ("2", "event-list")):
            self.window.press(key, "Down")
            active = self.window.run("const row = document.getElementById(document.getElementById(arguments[0])"
                                     ".getAttribute('aria-activedescendant')); return row && row.getAttribute('role')",
                                     box)
            self.assertEqual(active, "row", box)


if __name__ == "__main__":
    pages.main()
