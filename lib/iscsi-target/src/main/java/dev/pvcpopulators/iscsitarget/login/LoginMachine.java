package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.login.text.TextKeys;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import dev.pvcpopulators.iscsitarget.pdu.login.LoginRequest;
import dev.pvcpopulators.iscsitarget.pdu.login.LoginResponse;
import dev.pvcpopulators.iscsitarget.pdu.login.LoginStatus;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Set;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/// The target's side of one login (RFC 7143, section 6.3), as a state machine: it consumes Login
/// Requests and produces Login Responses until the initiator enters full-feature phase or is
/// refused. This class does not use a socket. An instance belongs to one connection and one thread.
///
/// | Stage       | Leads to                  | Content                              |
/// |-------------|---------------------------|--------------------------------------|
/// | security    | operational, full feature | AuthMethod and the method's exchange |
/// | operational | full feature              | parameters                           |
///
/// The initiator may begin with the security stage or the operational stage. The first request
/// states the initiator's name and, for a normal session, the target. Only new sessions are
/// accepted: a session has exactly one connection, so a login cannot add a connection to a session.
public final class LoginMachine {
  private static final String PORTAL_GROUP_TAG = "TargetPortalGroupTag";

  /// Known keys that do not belong to a login, or that an initiator may not send.
  private static final Set<String> NOT_FOR_INITIATORS =
      Set.of(PORTAL_GROUP_TAG, "TargetAlias", "TargetAddress", SendTargets.KEY);

  /// The portal group tag; all portals form one group.
  static final int PORTAL_GROUP = 1;

  /// The maximum number of requests in one login. A step of the negotiation takes one request, or
  /// several requests if its text is long.
  private static final int MAX_REQUESTS = 256;

  /// The maximum number of bytes of text in a response, unless the initiator has declared a lower
  /// limit.
  private static final int MAX_TEXT = 8192;

  private final TargetDirectory directory;
  private final InetAddress remote;
  private final NegotiationLimits limits;
  private final SecureRandom random;
  private final IntSupplier tsih;

  private final LoginText incoming = new LoginText();
  private final SeenKeys seen = new SeenKeys();
  private final OperationalNegotiation operational;

  /// The identity that the first request stated, and the state of the initiator's authentication.
  private record Peer(LoginIdentity identity, SecurityNegotiation security) {}

  private @Nullable LoginRequest first;
  private @Nullable Peer peer;
  private int stage;
  private int requests;
  private int statSn;

  private ByteBuffer outgoing = ByteBuffer.allocate(0);
  private boolean transit;
  private int nextStage;

  /// Creates the state machine for a new login.
  ///
  /// @param remote the address of the initiator
  /// @param tsih a function that supplies the handle of the new session, 1 to 65,535; called when
  ///   the login has succeeded
  public LoginMachine(
      TargetDirectory directory,
      InetAddress remote,
      NegotiationLimits limits,
      SecureRandom random,
      IntSupplier tsih) {
    this.directory = directory;
    this.remote = remote;
    this.limits = limits;
    this.random = random;
    this.tsih = tsih;
    this.operational = new OperationalNegotiation(limits);
  }

  /// Processes a request. After this method has returned [LoginStep.Refused] or
  /// [LoginStep.Entered], it must not be called again.
  ///
  /// @param data the data segment, from position to limit; the position may change
  public LoginStep step(LoginRequest header, ByteBuffer data) {
    try {
      check(header);
      return proceed(header, data);
    } catch (LoginRefusal e) {
      return new LoginStep.Refused(
          response(header, false, false, 0, e.status()), String.valueOf(e.getMessage()));
    }
  }

  private void check(LoginRequest header) throws LoginRefusal {
    LoginRequest leading = first;
    if (header.versionMin() > LoginResponse.VERSION) {
      throw new LoginRefusal(
          LoginStatus.UNSUPPORTED_VERSION, "Version-min: expected 0, found " + header.versionMin());
    }
    if (header.tsih() != 0) {
      throw new LoginRefusal(
          LoginStatus.SESSION_DOES_NOT_EXIST, "TSIH: expected 0, found " + header.tsih());
    }
    if (++requests > MAX_REQUESTS) {
      throw LoginRefusal.initiatorError("Login: expected at most " + MAX_REQUESTS + " requests");
    }
    if (leading == null) {
      first = header;
      stage = header.currentStage();
    } else if (header.isid() != leading.isid() || header.cid() != leading.cid()) {
      throw LoginRefusal.initiatorError("Login: expected one ISID and CID throughout");
    }
    boolean negotiates =
        stage == LoginRequest.SECURITY_NEGOTIATION
            || stage == LoginRequest.LOGIN_OPERATIONAL_NEGOTIATION;
    if (!negotiates || header.currentStage() != stage) {
      throw LoginRefusal.initiatorError("CSG: found " + header.currentStage());
    }
    if (header.transit() && (header.continues() || !leadsOn(header.nextStage()))) {
      throw LoginRefusal.initiatorError("T bit: found with NSG " + header.nextStage());
    }
  }

  private boolean leadsOn(int next) {
    return switch (next) {
      case LoginRequest.FULL_FEATURE_PHASE -> true;
      case LoginRequest.LOGIN_OPERATIONAL_NEGOTIATION -> stage == LoginRequest.SECURITY_NEGOTIATION;
      default -> false;
    };
  }

  private LoginStep proceed(LoginRequest header, ByteBuffer data) throws LoginRefusal {
    Peer known = peer;
    if (known != null && outgoing.hasRemaining()) {
      if (data.hasRemaining()) {
        throw LoginRefusal.initiatorError(
            "Text: expected an empty request until the target's answer is complete");
      }
      settle(header, known);
      return speak(header, known);
    }
    incoming.add(data);
    if (header.continues()) {
      return new LoginStep.Continue(
          response(header, false, false, 0, LoginStatus.SUCCESS), ByteBuffer.allocate(0));
    }
    TextKeys offered = incoming.take();
    TextKeys answers = new TextKeys();
    if (known == null) {
      known = identify(offered, answers);
      peer = known;
    }
    negotiate(known, offered, answers);
    settle(header, known);
    boolean enters = nextStage == LoginRequest.FULL_FEATURE_PHASE;
    if (stage == LoginRequest.LOGIN_OPERATIONAL_NEGOTIATION || enters) {
      operational.declare(known.identity().type(), answers);
    }
    outgoing = answers.write();
    return speak(header, known);
  }

  /// Chooses the next stage. The target may leave a stage only in answer to a request with the T
  /// bit (RFC 7143, section 6.3). If the initiator needs several requests to fetch a long answer,
  /// only the T bit of the last of these requests counts.
  private void settle(LoginRequest header, Peer known) throws LoginRefusal {
    transit = header.transit() && mayLeave(known);
    nextStage = transit ? header.nextStage() : stage;
    boolean enters = nextStage == LoginRequest.FULL_FEATURE_PHASE;
    boolean needsDigests = known.identity().type() == SessionType.NORMAL && limits.requireDigests();
    if (enters && needsDigests && !operational.digestsAgreed()) {
      throw LoginRefusal.initiatorError("HeaderDigest, DataDigest: expected CRC32C for both");
    }
  }

  private Peer identify(TextKeys offered, TextKeys answers) throws LoginRefusal {
    LoginIdentity identity = LoginIdentity.of(offered, directory, remote);
    Peer found = new Peer(identity, new SecurityNegotiation(identity.access(), limits, random));
    if (stage != LoginRequest.SECURITY_NEGOTIATION) {
      mayLeave(found);
    }
    if (identity.type() == SessionType.NORMAL) {
      answers.add(PORTAL_GROUP_TAG, PORTAL_GROUP);
    }
    return found;
  }

  /// Processes all keys of one text, which arrived in one or more requests, and adds the answers.
  private void negotiate(Peer known, TextKeys offered, TextKeys answers) throws LoginRefusal {
    boolean security = false;
    for (TextKeys.Pair pair : offered.pairs()) {
      seen.take(pair);
      if (SecurityNegotiation.has(pair.key())) {
        security = true;
      } else if (!LoginIdentity.has(pair.key())) {
        answer(pair, known.identity().type(), answers);
      }
    }
    if (security && stage != LoginRequest.SECURITY_NEGOTIATION) {
      throw LoginRefusal.initiatorError("AuthMethod, CHAP: expected in the security stage only");
    }
    if (security) {
      known.security().step(offered, answers);
    }
  }

  private void answer(TextKeys.Pair pair, SessionType type, TextKeys answers) throws LoginRefusal {
    OperationalKey key = OperationalKey.of(pair.key());
    if (key == null) {
      answers.refuse(pair, NOT_FOR_INITIATORS.contains(pair.key()));
      return;
    }
    if (stage == LoginRequest.SECURITY_NEGOTIATION
        && key != OperationalKey.MAX_RECV_DATA_SEGMENT_LENGTH) {
      throw LoginRefusal.initiatorError(key.text() + ": expected in the operational stage only");
    }
    operational.take(key, pair.value(), type, answers);
  }

  /// Returns whether the initiator may leave or skip the security stage.
  ///
  /// @return false while authentication is in progress, else true
  /// @throws LoginRefusal if authentication is required and has not begun
  private static boolean mayLeave(Peer known) throws LoginRefusal {
    boolean complete = known.security().complete();
    if (!complete && !known.security().underWay()) {
      throw LoginRefusal.authenticationFailure(
          "Login: "
              + known.identity().initiatorName()
              + " wants to continue without authentication");
    }
    return complete;
  }

  /// Returns a response with as many bytes of the answers as fit. If a part of the answers remains,
  /// the response has the C bit, and the initiator fetches the rest with empty requests.
  private LoginStep speak(LoginRequest header, Peer known) {
    int most = Math.min(MAX_TEXT, operational.number(OperationalKey.MAX_RECV_DATA_SEGMENT_LENGTH));
    int length = Math.min(outgoing.remaining(), most);
    ByteBuffer text = outgoing.slice(outgoing.position(), length);
    outgoing.position(outgoing.position() + length);
    if (outgoing.hasRemaining()) {
      return new LoginStep.Continue(response(header, false, true, 0, LoginStatus.SUCCESS), text);
    }
    boolean enters = transit && nextStage == LoginRequest.FULL_FEATURE_PHASE;
    int session = enters ? tsih.getAsInt() : 0;
    LoginResponse response = response(header, transit, false, session, LoginStatus.SUCCESS);
    stage = nextStage;
    return enters
        ? new LoginStep.Entered(response, text, parameters(header, known, session))
        : new LoginStep.Continue(response, text);
  }

  private LoginResponse response(
      LoginRequest header, boolean transits, boolean continues, int session, LoginStatus status) {
    return new LoginResponse(
        transits,
        continues,
        header.currentStage(),
        transits ? nextStage : 0,
        header.isid(),
        session,
        header.initiatorTaskTag(),
        new SequenceNumbers(statSn++, header.cmdSn(), header.cmdSn() + limits.commandWindow() - 1),
        status);
  }

  private SessionParameters parameters(LoginRequest header, Peer known, int session) {
    LoginIdentity who = known.identity();
    int maxBurstLength = operational.number(OperationalKey.MAX_BURST_LENGTH);
    return new SessionParameters(
        who.type(),
        who.targetName(),
        who.initiatorName().value(),
        header.isid(),
        session,
        header.cid(),
        known.security().user(),
        operational.digest(OperationalKey.HEADER_DIGEST),
        operational.digest(OperationalKey.DATA_DIGEST),
        operational.number(OperationalKey.MAX_RECV_DATA_SEGMENT_LENGTH),
        limits.maxRecvDataSegmentLength(who.type()),
        maxBurstLength,
        Math.min(operational.number(OperationalKey.FIRST_BURST_LENGTH), maxBurstLength),
        operational.yes(OperationalKey.INITIAL_R2T),
        operational.yes(OperationalKey.IMMEDIATE_DATA),
        operational.number(OperationalKey.MAX_OUTSTANDING_R2T),
        operational.number(OperationalKey.DEFAULT_TIME2WAIT),
        operational.number(OperationalKey.DEFAULT_TIME2RETAIN),
        header.cmdSn(),
        statSn);
  }
}
