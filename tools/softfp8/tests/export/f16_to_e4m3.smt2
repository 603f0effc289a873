; f16_to_e4m3 under the policy ocp, as softfp8 0.2.0 defines it
; f16_to_e4m3: the code of the result. f16_to_e4m3.flags: 1 inexact, 2 underflow, 4 overflow, 8 division by zero, 16 invalid
; operand: exp=5 man=10 signed=1 nan=ieee inf=1 zero=1 bias=15
; result: exp=4 man=3 signed=1 nan=top inf=0 zero=1 bias=7
(set-logic QF_BV)

; The codes of a format: NaN, infinity, and sig * 2^exponent

(define-fun f16_to_e4m3.inf ((x (_ BitVec 16))) (_ BitVec 1)
  (let ((mag ((_ extract 14 0) x)))
  (ite (= mag (_ bv31744 15)) #b1 #b0)))

(define-fun f16_to_e4m3.nan ((x (_ BitVec 16))) (_ BitVec 1)
  (let ((mag ((_ extract 14 0) x)))
  (ite (or (and (bvugt mag (_ bv31743 15)) (= (f16_to_e4m3.inf x) #b0)) false) #b1 #b0)))

(define-fun f16_to_e4m3.exponent ((x (_ BitVec 16))) (_ BitVec 16)
  (let ((field ((_ extract 14 10) x)))
  (let ((from (ite (= field (_ bv0 5)) (_ bv1 5) field)))
  (bvsub ((_ zero_extend 11) from) (_ bv25 16)))))

(define-fun f16_to_e4m3.sig ((x (_ BitVec 16))) (_ BitVec 11)
  (let ((mantissa ((_ extract 9 0) x)))
  (let ((normal (not (= ((_ extract 14 10) x) (_ bv0 5)))))
  (ite normal (concat #b1 mantissa) (concat #b0 mantissa)))))

(define-fun f16_to_e4m3.from_nan ((x (_ BitVec 16))) (_ BitVec 13)
  (let ((bit ((_ extract 15 15) x)))
  (let ((code (ite (= bit #b1) (_ bv127 8) (_ bv127 8))))
  (let ((signals (ite (= ((_ extract 9 9) x) #b0) #b10000 #b00000)))
  (concat (bvor signals (_ bv0 5)) code)))))

; The rounding of sig * 2^exponent: the flags, then the code

(define-fun f16_to_e4m3.up ((sign (_ BitVec 1)) (shift (_ BitVec 17)) (odd (_ BitVec 1))) (_ BitVec 17)
  (let ((midpoint (bvshl (_ bv1 17) (bvsub shift (_ bv1 17)))))
  (let ((all (bvsub (bvshl (_ bv1 17) shift) (_ bv1 17))))
  (bvadd (bvsub midpoint (_ bv1 17)) ((_ zero_extend 16) odd)))))

(define-fun f16_to_e4m3.round ((minus (_ BitVec 1)) (exponent (_ BitVec 16)) (sig (_ BitVec 11))) (_ BitVec 13)
  (let ((sign minus))
  (let ((zeros (ite (= ((_ extract 10 10) sig) #b1) (_ bv0 16)
    (ite (= ((_ extract 9 9) sig) #b1) (_ bv1 16)
    (ite (= ((_ extract 8 8) sig) #b1) (_ bv2 16)
    (ite (= ((_ extract 7 7) sig) #b1) (_ bv3 16)
    (ite (= ((_ extract 6 6) sig) #b1) (_ bv4 16)
    (ite (= ((_ extract 5 5) sig) #b1) (_ bv5 16)
    (ite (= ((_ extract 4 4) sig) #b1) (_ bv6 16)
    (ite (= ((_ extract 3 3) sig) #b1) (_ bv7 16)
    (ite (= ((_ extract 2 2) sig) #b1) (_ bv8 16)
    (ite (= ((_ extract 1 1) sig) #b1) (_ bv9 16)
    (_ bv10 16)))))))))))))
  (let ((zero (= sig (_ bv0 11))))
  (let ((e (ite zero (_ bv65530 16) (bvsub (bvadd exponent (_ bv10 16)) zeros))))
  (let ((places ((_ zero_extend 1) zeros)))
  (let ((norm (bvshl (bvshl ((_ zero_extend 6) sig) (_ bv2 17)) places)))
  (let ((above (ite (bvsge e (_ bv65530 16)) (bvsub e (_ bv65530 16)) (_ bv0 16))))
  (let ((under (ite (bvslt e (_ bv65530 16)) (bvsub (_ bv65530 16) e) (_ bv0 16))))
  (let ((below (ite (bvugt under (_ bv6 16)) (_ bv6 16) under)))
  (let ((shift (bvadd ((_ zero_extend 1) below) (_ bv9 17))))
  (let ((base (bvshl (bvsub ((_ sign_extend 5) above) (_ bv0 21)) (_ bv3 21))))
  (let ((kept (bvadd base ((_ zero_extend 4) (bvlshr norm shift)))))
  (let ((up (f16_to_e4m3.up sign shift ((_ extract 0 0) kept))))
  (let ((nearest (bvadd base ((_ zero_extend 4) (bvlshr (bvadd norm up) shift)))))
  (let ((inexact (not (= (bvshl (bvlshr norm shift) shift) norm))))
  (let ((mag nearest))
  (let ((beyond (bvsgt mag (_ bv126 21))))
  (let ((over beyond))
  (let ((low (and (= above (_ bv0 16)) (= (bvlshr (bvlshr norm shift) (_ bv3 17)) (_ bv0 17)))))
  (let ((less (bvsub shift (_ bv1 17))))
  (let ((last ((_ extract 0 0) (bvlshr norm less))))
  (let ((tiny (and low (= (bvlshr (bvlshr (bvadd norm (f16_to_e4m3.up sign less last)) shift) (_ bv3 17)) (_ bv0 17)))))
  (let ((flushed false))
  (let ((own (ite flushed (_ bv0 21) mag)))
  (let ((flags (bvor (ite inexact #b00001 #b00000) (ite over #b00101 #b00000) (ite (and inexact tiny) #b00010 #b00000) (ite flushed #b00011 #b00000))))
  (let ((shown sign))
  (let ((code (concat shown ((_ extract 6 0) own))))
  (let ((inward false))
  (let ((limit (ite (= sign #b1) (ite inward (_ bv254 8) (_ bv254 8)) (ite inward (_ bv126 8) (_ bv126 8)))))
  (let ((refused false))
  (let ((missing false))
  (ite refused (_ bv0 13) (ite missing (ite zero (_ bv768 13) (_ bv768 13)) (concat flags (ite (or over beyond) limit code))))))))))))))))))))))))))))))))))))

(define-fun f16_to_e4m3.result ((x (_ BitVec 16))) (_ BitVec 13)
  (let ((sign ((_ extract 15 15) x)))
  (ite (= (f16_to_e4m3.nan x) #b1) (f16_to_e4m3.from_nan x)
  (ite (= (f16_to_e4m3.inf x) #b1) (ite (= sign #b1) (_ bv4350 13) (_ bv4222 13))
  (f16_to_e4m3.round sign (f16_to_e4m3.exponent x) (f16_to_e4m3.sig x))))))

; The result, taken apart

(define-fun f16_to_e4m3 ((x (_ BitVec 16))) (_ BitVec 8)
  ((_ extract 7 0) (f16_to_e4m3.result x)))

(define-fun f16_to_e4m3.flags ((x (_ BitVec 16))) (_ BitVec 5)
  ((_ extract 12 8) (f16_to_e4m3.result x)))
