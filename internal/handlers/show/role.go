package show

import (
	"florin/internal/finance"
	"florin/web/templates/words"
)

var roles = map[finance.Role]words.Text{finance.RoleOwner: "Owner", finance.RoleMember: "Member", finance.RoleViewer: "Viewer"}

// Role returns the name of a role.
func Role(r finance.Role) words.Text { return roles[r] }
