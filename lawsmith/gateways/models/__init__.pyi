from .batch_files import (
    export_requests as export_requests,
)
from .batch_files import (
    import_replies as import_replies,
)
from .batch_files import (
    record_import as record_import,
)
from .ledger import Ledger as Ledger
from .ledger_reading import (
    CallSeen as CallSeen,
)
from .ledger_reading import (
    calls_about as calls_about,
)
from .ledger_reading import (
    calls_of_roles as calls_of_roles,
)
from .limits import Cap as Cap
from .limits import RateLimits as RateLimits
from .limits import RunCaps as RunCaps
from .model_routes import ModelSpec as ModelSpec
from .model_routes import Roster as Roster
from .model_routes import open_roster as open_roster
from .prices import Price as Price
from .replay import PREFIX as PREFIX
from .replay import read_recording as read_recording
from .replay import replay_file as replay_file
from .request_bounds import open_requests as open_requests
from .runner import RunReport as RunReport
from .runner import run_conversations as run_conversations
