// What html-validate finds in a page is wrong: its recommended rules, with two more and without those that say here why.
export default {
	root: true,
	extends: ["html-validate:recommended"],
	rules: {
		"input-missing-label": "error",
		"no-missing-references": "error",
		// How it is written, not what it says: templ and x/net/html have their own way.
		"attribute-boolean-style": "off",
		"attribute-empty-style": "off",
		"doctype-style": "off",
		// Boxes of one question share a name, and so do hidden fields with a list of values, which the rule does not know.
		"form-dup-name": "off",
		// A title names the bank, the payee or the account, in full: the browser cuts it where it has no room.
		"long-title": "off",
		// A page with work in progress loads itself again, only where JavaScript, which does it without a reload, is off.
		"meta-refresh": "off",
	},
};
