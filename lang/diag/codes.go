package diag

// A Code is the stable identifier of a kind of diagnostic. Users see it and look it up: ppl help E10.
type Code string

// These are the codes in the order of the catalogue. The comment is the title in the catalogue. A test checks that
// every code has a section and is used.
const (
	// Codes for the text of a model.

	Syntax         Code = "E00" // the text cannot be parsed, or a statement is where it has no meaning
	ForeignKeyword Code = "E01" // a word of another language before a statement
	Unclosed       Code = "E02" // a bracket or a quote is not closed
	KeywordAsName  Code = "E03" // a keyword where a name is expected
	MissingReturn  Code = "E04" // a block does not end in `return`
	BadNumber      Code = "E05" // this is not a number
	DrawnData      Code = "E06" // a `data` declaration has no `~`

	// Codes for names.

	Undefined         Code = "E10" // a name, function, distribution or type is not defined
	DefinedTwice      Code = "E11" // something is defined twice
	Gap               Code = "E12" // the pieces of an array leave a gap
	BadSlot           Code = "E13" // a slot on the left is neither an index nor a set
	IndexNamedAsValue Code = "E14" // an index has the name of a value
	NotAnIndexSet     Code = "E15" // an array cannot be an index set
	Circular          Code = "E16" // names define each other, or are drawn from each other, at the same index
	BothWays          Code = "E17" // a recurrence reads both earlier and later elements
	NotPast           Code = "E18" // a recurrence must read only earlier elements
	UsesItself        Code = "E19" // a function or template uses itself
	BadImport         Code = "E20" // an import cannot be used
	ImportCycle       Code = "E21" // imports form a cycle
	NoSuchPart        Code = "E22" // an imported file, or an instance of a template, has no member of this name

	// Codes for the roles of variables.

	UnreadParameter    Code = "E30" // a parameter that nothing reads has nearly the name of data that nothing uses
	ObservedDefinition Code = "E31" // a quantity defined from parameters cannot be observed
	ObservedTwice      Code = "E32" // data are observed twice
	NoPriorDraws       Code = "E33" // nothing can be drawn from the prior
	NoData             Code = "E34" // the model has no data

	// Codes for axes and sizes.

	CallOnLeft       Code = "E35" // a call on the left side defines a function, but a quantity seems to be meant
	AxesDiffer       Code = "E40" // axes do not match
	RepeatedAxis     Code = "E41" // an operand has the same axis twice
	AxisCount        Code = "E42" // an array has the wrong number of axes
	WrongIndexSet    Code = "E43" // data of one index set subscript an axis of another
	WrongKind        Code = "E44" // a value of the wrong kind
	OutOfRange       Code = "E45" // a subscript is out of range, or a set is empty
	UnknownSize      Code = "E46" // a size is not known
	SizesDiffer      Code = "E47" // two sources disagree about a size
	ParameterBound   Code = "E48" // a bound depends on a parameter
	BranchAxesDiffer Code = "E49" // branches or elements have different axes

	// Codes for distributions and functions.

	Arguments          Code = "E50" // arguments do not fit the distribution or function
	ArgumentDomain     Code = "E51" // an argument is outside its domain
	ElementDomain      Code = "E52" // an element of an argument is outside its domain
	NotASimplex        Code = "E53" // an argument must be a simplex
	NotACovariance     Code = "E54" // a matrix is not a covariance or correlation matrix
	EmptyInterval      Code = "E55" // the lower end of a range may exceed the upper end
	OutsideDeclaration Code = "E56" // a value in the data is outside its declaration
	ImpossibleValue    Code = "E57" // a value in the data is impossible
	NoCDF              Code = "E58" // the distribution function is not available
	BadOrder           Code = "E59" // `ordered` or `zerosum` has no meaning here
	CensoredNotData    Code = "E60" // only data can be censored
	BadNoncentered     Code = "E61" // `noncentered` has no meaning here
	ZeroSumOfOne       Code = "E62" // `zerosum` applies to only one element
	NotSquare          Code = "E63" // a matrix that must be square has two different axes

	// Codes for discrete unknowns.

	NoFiniteSupport    Code = "E70" // a discrete unknown has no finite support known from the data
	NotSummable        Code = "E71" // one term reads elements of discrete unknowns that cannot be summed out one by one
	DiscreteRecurrence Code = "E72" // a recurrence carries a discrete unknown
	TableTooLarge      Code = "E73" // the table for summing out is too large

	// Codes for minibatches.

	ReadsAllRows Code = "E80" // something that depends on parameters runs over all rows
	JoinsRows    Code = "E81" // a discrete unknown makes rows dependent
	OneEvent     Code = "E82" // an observation is a single event, not one for each row

	// Codes for data and quantities after inference.

	DataUnavailable    Code = "E83" // data are not available
	AfterInference     Code = "E84" // the model reads a quantity that is known only after inference
	NotDiscreteUnknown Code = "E85" // `mode` or `probability` of something that is not a discrete unknown
	RowsAtOnce         Code = "E86" // all rows of data that are read row by row are needed at once
	UnmatchedRows      Code = "E87" // rows of a file cannot be matched with the elements of an index set
	GroupValuesDiffer  Code = "E76" // a group has different values
	UnknownOrder       Code = "E77" // the order of texts is not known
	NoSuchElement      Code = "E88" // an index set has no element of this name
	TooManyElements    Code = "E89" // more elements than can be computed
	NoInitialEquation  Code = "E90" // an initial value has no equation
	TrajectoryTime     Code = "E91" // a trajectory is read at another time inside a right-hand side
	SystemTimes        Code = "E92" // times of a system are inconsistent
	WeightsPerRow      Code = "E93" // weights would be drawn for each row, or depend on an argument
	LayerInput         Code = "E94" // a layer requires an input with other axes
	WeightsSize        Code = "E95" // a call gives the weights of a network another size
	TwoWeightPriors    Code = "E96" // weights have two priors
	NoSuchWeights      Code = "E97" // a prior names weights that do not exist

	// Codes for limits of this version.

	EventNotState Code = "E98" // an event changes something that is not a state
	NotCompiled   Code = "E99" // not supported by this version of ppl yet

	// Codes of warnings and notes.

	UnusedData           Code = "W01" // data are never used
	NoInfluence          Code = "W02" // a parameter has no influence on any observation
	ImproperPrior        Code = "W03" // an improper prior, and few rows that inform the parameter
	LabelSwitching       Code = "W04" // label switching
	UndeclaredMissing    Code = "W05" // missing values in data declared without `missing`
	LongRecurrence       Code = "W06" // a long recurrence over its whole past
	ObservedGroups       Code = "W07" // an index set has only the groups that occur in the data
	ParameterPerRow      Code = "W08" // each row has a parameter, and minibatches are used
	LargeData            Code = "W09" // data are too large for memory
	OneStepAhead         Code = "W10" // replicates are drawn one step ahead
	LibraryPrior         Code = "W11" // weights have the default prior of the library
	UnusedFunction       Code = "W12" // a function or template is unused, or hides one of the library
	PossibleDomain       Code = "W13" // an argument may be outside its domain
	SingleElements       Code = "W14" // only single elements of data have a distribution
	GroupsAsQuantities   Code = "W15" // group numbers are used as quantities
	RowsLeftOut          Code = "W16" // rows are omitted
	UnreadRowNames       Code = "W17" // names of rows are not read
	Outlier              Code = "W18" // a value is very far from all others
	WrongScale           Code = "W19" // an argument has another scale than its distribution expects
	ExplainsItself       Code = "W20" // an observation is predicted from itself
	UndeterminedSign     Code = "W21" // the sign of parameters is not determined
	OneUnknownForAll     Code = "W22" // one discrete unknown selects for all rows
	BeyondLimit          Code = "W23" // censored values are beyond their limit
	InterceptTwice       Code = "W24" // the model has two intercepts
	BoundContradictsData Code = "W25" // a bound of a prior contradicts the data
	OtherOrder           Code = "W26" // values are assigned to rows in another order
	TextByNumber         Code = "W27" // an element of a set of texts is selected by its number
	IdleEvents           Code = "W28" // events change nothing
	RepeatedEdges        Code = "W29" // edges are listed again
	IdleLimits           Code = "W30" // limits of `censored` change nothing
	ConstantPredictor    Code = "W31" // a predictor is the same in all rows
	DatesAsNumbers       Code = "W32" // dates are written as numbers
	TotalAmongRows       Code = "W33" // the rows include a total
	SolverSteps          Code = "W34" // a solution depends on the steps of its solver
)
