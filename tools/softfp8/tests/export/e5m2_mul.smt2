; e5m2_mul under the policy ocp-nosat nan_code=payload round_past_max=nan, as softfp8 0.2.0 defines it
; e5m2_mul: the code of the result. e5m2_mul.flags: 1 inexact, 2 underflow, 4 overflow, 8 division by zero, 16 invalid
; operands: exp=5 man=2 signed=1 nan=ieee inf=1 zero=1 bias=15
; result: exp=5 man=2 signed=1 nan=ieee inf=1 zero=1 bias=15
(set-logic QF_BV)

; The codes of a format: NaN, infinity, and sig * 2^exponent

(define-fun e5m2_mul.inf ((x (_ BitVec 8))) (_ BitVec 1)
  (let ((mag ((_ extract 6 0) x)))
  (ite (= mag (_ bv124 7)) #b1 #b0)))

(define-fun e5m2_mul.nan ((x (_ BitVec 8))) (_ BitVec 1)
  (let ((mag ((_ extract 6 0) x)))
  (ite (or (and (bvugt mag (_ bv123 7)) (= (e5m2_mul.inf x) #b0)) false) #b1 #b0)))

(define-fun e5m2_mul.exponent ((x (_ BitVec 8))) (_ BitVec 16)
  (let ((field ((_ extract 6 2) x)))
  (let ((from (ite (= field (_ bv0 5)) (_ bv1 5) field)))
  (bvsub ((_ zero_extend 11) from) (_ bv17 16)))))

(define-fun e5m2_mul.sig ((x (_ BitVec 8))) (_ BitVec 3)
  (let ((mantissa ((_ extract 1 0) x)))
  (let ((normal (not (= ((_ extract 6 2) x) (_ bv0 5)))))
  (ite normal (concat #b1 mantissa) (concat #b0 mantissa)))))

(define-fun e5m2_mul.from_nan ((x (_ BitVec 8))) (_ BitVec 13)
  (let ((bit ((_ extract 7 7) x)))
  (let ((payload ((_ extract 1 0) x)))
  (let ((m (bvor payload (_ bv2 2))))
  (let ((code (concat #b0 (_ bv31 5) m)))
  (let ((signals (ite (= ((_ extract 1 1) x) #b0) #b10000 #b00000)))
  (concat (bvor signals (_ bv0 5)) code)))))))

; The rounding of sig * 2^exponent: the flags, then the code

(define-fun e5m2_mul.up ((sign (_ BitVec 1)) (shift (_ BitVec 12)) (odd (_ BitVec 1))) (_ BitVec 12)
  (let ((midpoint (bvshl (_ bv1 12) (bvsub shift (_ bv1 12)))))
  (let ((all (bvsub (bvshl (_ bv1 12) shift) (_ bv1 12))))
  (bvadd (bvsub midpoint (_ bv1 12)) ((_ zero_extend 11) odd)))))

(define-fun e5m2_mul.round ((minus (_ BitVec 1)) (exponent (_ BitVec 16)) (sig (_ BitVec 6))) (_ BitVec 13)
  (let ((sign minus))
  (let ((zeros (ite (= ((_ extract 5 5) sig) #b1) (_ bv0 16)
    (ite (= ((_ extract 4 4) sig) #b1) (_ bv1 16)
    (ite (= ((_ extract 3 3) sig) #b1) (_ bv2 16)
    (ite (= ((_ extract 2 2) sig) #b1) (_ bv3 16)
    (ite (= ((_ extract 1 1) sig) #b1) (_ bv4 16)
    (_ bv5 16))))))))
  (let ((zero (= sig (_ bv0 6))))
  (let ((e (ite zero (_ bv65522 16) (bvsub (bvadd exponent (_ bv5 16)) zeros))))
  (let ((places ((_ extract 11 0) zeros)))
  (let ((norm (bvshl (bvshl ((_ zero_extend 6) sig) (_ bv2 12)) places)))
  (let ((above (ite (bvsge e (_ bv65522 16)) (bvsub e (_ bv65522 16)) (_ bv0 16))))
  (let ((under (ite (bvslt e (_ bv65522 16)) (bvsub (_ bv65522 16) e) (_ bv0 16))))
  (let ((below (ite (bvugt under (_ bv5 16)) (_ bv5 16) under)))
  (let ((shift (bvadd ((_ extract 11 0) below) (_ bv5 12))))
  (let ((base (bvshl (bvsub ((_ sign_extend 4) above) (_ bv0 20)) (_ bv2 20))))
  (let ((kept (bvadd base ((_ zero_extend 8) (bvlshr norm shift)))))
  (let ((up (e5m2_mul.up sign shift ((_ extract 0 0) kept))))
  (let ((nearest (bvadd base ((_ zero_extend 8) (bvlshr (bvadd norm up) shift)))))
  (let ((inexact (not (= (bvshl (bvlshr norm shift) shift) norm))))
  (let ((mag nearest))
  (let ((beyond (bvsgt mag (_ bv123 20))))
  (let ((over beyond))
  (let ((low (and (= above (_ bv0 16)) (= (bvlshr (bvlshr norm shift) (_ bv2 12)) (_ bv0 12)))))
  (let ((less (bvsub shift (_ bv1 12))))
  (let ((last ((_ extract 0 0) (bvlshr norm less))))
  (let ((tiny (and low (= (bvlshr (bvlshr (bvadd norm (e5m2_mul.up sign less last)) shift) (_ bv2 12)) (_ bv0 12)))))
  (let ((flushed false))
  (let ((own (ite flushed (_ bv0 20) mag)))
  (let ((flags (bvor (ite inexact #b00001 #b00000) (ite over #b00101 #b00000) (ite (and inexact tiny) #b00010 #b00000) (ite flushed #b00011 #b00000))))
  (let ((shown sign))
  (let ((code (concat shown ((_ extract 6 0) own))))
  (let ((inward false))
  (let ((limit (ite (= sign #b1) (ite inward (_ bv251 8) (_ bv252 8)) (ite inward (_ bv123 8) (_ bv124 8)))))
  (let ((fits (and over (bvsle mag (_ bv127 20)))))
  (let ((counted (concat sign ((_ extract 6 0) mag))))
  (let ((carried (ite (= sign #b1) (_ bv126 8) (_ bv126 8))))
  (let ((banded counted))
  (let ((counts (ite (= kept (_ bv123 20)) over false)))
  (let ((next (ite (= kept (_ bv123 20)) carried banded)))
  (let ((refused false))
  (let ((missing false))
  (ite refused (_ bv0 13) (ite missing (ite zero (_ bv768 13) (_ bv768 13)) (concat flags (ite over (ite counts next limit) code))))))))))))))))))))))))))))))))))))))))))

(define-fun e5m2_mul.result ((x (_ BitVec 8)) (y (_ BitVec 8))) (_ BitVec 13)
  (let ((sign_x ((_ extract 7 7) x)))
  (let ((sign_y ((_ extract 7 7) y)))
  (let ((sign (bvxor sign_x sign_y)))
  (let ((sig (bvmul ((_ zero_extend 3) (e5m2_mul.sig x)) ((_ zero_extend 3) (e5m2_mul.sig y)))))
  (let ((finite (e5m2_mul.round sign (bvadd (e5m2_mul.exponent x) (e5m2_mul.exponent y)) sig)))
  (let ((zero (or (= (e5m2_mul.sig x) (_ bv0 3)) (= (e5m2_mul.sig y) (_ bv0 3)))))
  (let ((none (and zero (not (and (= (e5m2_mul.inf x) #b1) (= (e5m2_mul.inf y) #b1))))))
  (let ((infinite (ite none (_ bv4222 13) (ite (= sign #b1) (_ bv252 13) (_ bv124 13)))))
  (let ((nan_x (e5m2_mul.from_nan x)))
  (let ((nan_y (e5m2_mul.from_nan y)))
  (let ((other (ite (= (e5m2_mul.nan y) #b1) (concat ((_ extract 12 8) nan_y) (_ bv0 8)) (_ bv0 13))))
  (ite (= (e5m2_mul.nan x) #b1) (bvor nan_x other)
  (ite (= (e5m2_mul.nan y) #b1) nan_y
  (ite (= (bvor (e5m2_mul.inf x) (e5m2_mul.inf y)) #b1) infinite finite)))))))))))))))

; The result, taken apart

(define-fun e5m2_mul ((x (_ BitVec 8)) (y (_ BitVec 8))) (_ BitVec 8)
  ((_ extract 7 0) (e5m2_mul.result x y)))

(define-fun e5m2_mul.flags ((x (_ BitVec 8)) (y (_ BitVec 8))) (_ BitVec 5)
  ((_ extract 12 8) (e5m2_mul.result x y)))
