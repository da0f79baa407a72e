// Package config reads kayra.yaml: where it is found, what may stand in it, and where each value came from.
//
// A value is taken from a command-line flag, else from the environment, else from the file, else it is the default.
// The variable of a key is KAYRA_ and the key in upper case with its dots as underscores: database.etcd.lease_ttl is
// KAYRA_DATABASE_ETCD_LEASE_TTL. Lists in a variable are separated by commas; an empty variable counts as unset. What has
// a structure of its own (auth.tokens, reconciler.mode, reconciler.operator, reconciler.gateway.headers, notification.teams) is
// read from the file only.
//
// Relative paths inside the file are relative to the working directory of the process, not to the file.
//
// Every key with its default and its rule stands in schema.go. viper holds those keys and decides which source wins; it
// never sees the free-form parts, since it would lower-case their keys and split them at dots.
package config

import (
	"time"

	"go.yaml.in/yaml/v3"
)

// Config is a configuration that was found valid.
type Config struct {
	Domain       string // DNS name below which Kayra's own API groups live
	Platform     string // with Region the scope of this deployment; may be empty, see RequireScope
	Region       string
	Log          Log
	Server       Server
	Database     Database
	Auth         Auth
	Reconciler   Reconciler
	Client       Client
	Notification Notification

	file    string
	closed  string // a file that was passed over, since this user may not read it
	sources map[string]string
	lines   map[string]int
	view    *yaml.Node
}

// Log says what is logged, and how.
type Log struct {
	Level  string // debug, info, warn or error
	Format string // text or json
}

// Server configures the REST API.
type Server struct {
	Listen    string // HOST:PORT
	TLS       ListenerTLS
	RateLimit int    `mapstructure:"rate_limit"` // requests per second of one caller; 0: no limit
	AuditLog  string `mapstructure:"audit_log"`  // the path of a file, "-" for standard error; "": none is written
}

// ListenerTLS names the files of a listener that speaks TLS. It speaks plain HTTP where none is named.
type ListenerTLS struct {
	CertFile     string `mapstructure:"cert_file"` // given together with KeyFile
	KeyFile      string `mapstructure:"key_file"`
	ClientCAFile string `mapstructure:"client_ca_file"` // every client must show a certificate from it; may be empty
}

// Database says where the records are kept.
type Database struct {
	Backend string // local or etcd
	Local   Local
	Etcd    Etcd
}

// Local configures the store in one file.
type Local struct {
	Path         string
	PollInterval time.Duration `mapstructure:"poll_interval"` // how often a watch looks for changes
}

// Etcd configures the store in an etcd cluster.
type Etcd struct {
	Endpoints    []string // URLs or HOST:PORT
	Prefix       string   // of every key: begins with a slash and does not end with one
	Username     string
	PasswordFile string        `mapstructure:"password_file"`
	CAFile       string        `mapstructure:"ca_file"`
	CertFile     string        `mapstructure:"cert_file"`
	KeyFile      string        `mapstructure:"key_file"`
	LeaseTTL     time.Duration `mapstructure:"lease_ttl"` // after which the locks of a dead process are free
}

// Password is the password for Username, to be read from PasswordFile; it is zero where no file is named.
func (e Etcd) Password() Secret {
	if e.PasswordFile == "" {
		return Secret{}
	}
	return newSecret(fromFile, e.PasswordFile)
}

// Auth says who may call the API.
type Auth struct {
	Tokens    []Token `mapstructure:"-"`
	OIDC      OIDC
	Sysadmins Subjects
}

// OIDC names the issuer whose tokens are accepted beside the static ones.
type OIDC struct {
	Issuer      string // URL; empty: none. Given together with Audience
	Audience    string // whom a token must be meant for
	UserClaim   string `mapstructure:"user_claim"`
	GroupsClaim string `mapstructure:"groups_claim"`
	CAFile      string `mapstructure:"ca_file"` // verifies the issuer; empty: the system's authorities
}

// Token is a bearer token and the caller that it stands for.
type Token struct {
	User   string
	Groups []string
	Token  Secret
}

// Subjects names users and groups.
type Subjects struct {
	Users  []string
	Groups []string
}

// Reconciler configures the process that carries out syncs.
type Reconciler struct {
	Listen                  string            // HOST:PORT of its health and metrics
	TLS                     ListenerTLS       // of that listener
	Server                  ReconcilerServer  // the REST API, as the reconciler reaches it
	MaxConcurrentReconciles int               `mapstructure:"max_concurrent_reconciles"` // slots of the pool, at least 1
	DefaultMode             string            `mapstructure:"default_mode"`              // of registrations without a mode; may be empty
	GatewayURL              string            `mapstructure:"gateway_url"`               // base URL through which apps are reached; may be empty
	Gateway                 Gateway           // how the gateway is called
	OutputHosts             []string          `mapstructure:"output_hosts"` // hosts that an output may send a step to
	DrainTimeout            time.Duration     `mapstructure:"drain_timeout"`
	AsyncAckTimeout         time.Duration     `mapstructure:"async_ack_timeout"`
	WaitPollInterval        time.Duration     `mapstructure:"wait_poll_interval"`
	Operator                any               `mapstructure:"-"` // defaults of operator blocks, for encoding/json and not checked; nil: none
	Mode                    map[string][]Step `mapstructure:"-"` // the pipelines by name; case and dots as written
}

// ReconcilerServer is the REST API that a reconciler tells of what happens, and names as where its figures are.
type ReconcilerServer struct {
	URL      string // base URL; may be empty
	Token    Secret // zero when none is given
	CAFile   string `mapstructure:"ca_file"`
	CertFile string `mapstructure:"cert_file"` // given together with KeyFile; may be empty
	KeyFile  string `mapstructure:"key_file"`
}

// Gateway says how the gateway is called for an app's OpenAPI document.
type Gateway struct {
	Timeout time.Duration
	Headers map[string]Header `mapstructure:"-"`
	TLS     TLS
}

// Client configures the command line as a client of the API.
type Client struct {
	Server   string // base URL
	Token    Secret // zero when none is given
	CAFile   string `mapstructure:"ca_file"`
	CertFile string `mapstructure:"cert_file"` // given together with KeyFile; may be empty
	KeyFile  string `mapstructure:"key_file"`
	Timeout  time.Duration
	Theme    string // of the dashboard: auto, dark, light, mono or contrast
}
