package hosted

// ScenariosPage lists the quirks of real banks that one can pick.
type ScenariosPage struct {
	Groups []ScenarioGroup
}

// ScenarioGroup are scenarios about one thing.
type ScenarioGroup struct {
	ID        string // of the heading
	Name      string
	Scenarios []Scenario
}

// Scenario is a quirk of a bank.
type Scenario struct {
	Name   string
	Bank   string // what the bank does
	Client string // what a client does about it
	Places []ScenarioPlace
}

// ScenarioPlace is where to meet a scenario.
type ScenarioPlace struct {
	Bank Bank
	User SampleUser // the zero SampleUser: every user
}
